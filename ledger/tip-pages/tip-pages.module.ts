import { Module } from '@nestjs/common';
import { TipPageController } from './tip-page.controller.js';

/** Public tip pages: their handles, the pages themselves, and what guests pay there. */
@Module({ controllers: [TipPageController] })
export class TipPagesModule {}
