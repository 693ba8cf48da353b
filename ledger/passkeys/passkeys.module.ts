import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ConfirmedCalls } from './confirmed-calls.js';
import { PasskeysController } from './passkeys.controller.js';
import { StepUpGuard } from './step-up.guard.js';
import { DropPasskeyCountsHandler, PasskeyHandlers, RemovePasskeysOfHandler } from './passkeys.handlers.js';

/** Passkeys, and where they are asked for. */
@Module({
  controllers: [PasskeysController],
  providers: [
    PasskeyHandlers,
    RemovePasskeysOfHandler,
    DropPasskeyCountsHandler,
    { provide: APP_GUARD, useClass: StepUpGuard },
    { provide: APP_INTERCEPTOR, useClass: ConfirmedCalls },
  ],
})
export class PasskeysModule {}
