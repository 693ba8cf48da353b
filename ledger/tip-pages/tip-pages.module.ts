import { Module } from '@nestjs/common';
import { GuestClaimsController } from './guest-claims.controller.js';
import { GuestReceipts } from './guest-receipts.js';
import { TipPageController } from './tip-page.controller.js';
import { TipPageViewController } from './tip-page-view.controller.js';
import { ForgetGuestsOfHandler } from './tip-pages.handlers.js';

/** Public tip pages: their handles, the pages themselves, and what guests pay there. */
@Module({
  controllers: [TipPageController, TipPageViewController, GuestClaimsController],
  providers: [GuestReceipts, ForgetGuestsOfHandler],
})
export class TipPagesModule {}
