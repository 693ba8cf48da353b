import { Module } from '@nestjs/common';
import { BackchannelLogoutController } from './backchannel-logout.controller.js';
import { IdentityController } from './identity.controller.js';
import { SessionsEndedByOperator } from './ended-by-operator.js';
import { SessionsController } from './sessions.controller.js';

/** Signing in and out, and where one is signed in. */
@Module({
  controllers: [IdentityController, SessionsController, BackchannelLogoutController],
  providers: [SessionsEndedByOperator],
})
export class IdentityModule {}
