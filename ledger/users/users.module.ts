import { Module } from '@nestjs/common';
import { EndForgettingOnRecoveryHandler, ForgettingRequests } from './forgetting-requests.js';
import { ForgettingController } from './forgetting.controller.js';
import {
  ForgetUserHandler,
  RegisterPersonHandler,
  RequireKnownUserHandler,
  RequireStayingHandler,
} from './users.handlers.js';

/** People: their registration at sign-in, and forgetting them. */
@Module({
  controllers: [ForgettingController],
  providers: [
    RegisterPersonHandler,
    RequireKnownUserHandler,
    RequireStayingHandler,
    ForgetUserHandler,
    ForgettingRequests,
    EndForgettingOnRecoveryHandler,
  ],
})
export class UsersModule {}
