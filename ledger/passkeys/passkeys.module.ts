import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PasskeysController } from './passkeys.controller.js';
import { PasskeyGuard } from './passkeys.guard.js';
import { PasskeyHandlers } from './passkeys.handlers.js';

/** Passkeys, and where they are asked for. */
@Module({
  controllers: [PasskeysController],
  providers: [PasskeyHandlers, { provide: APP_GUARD, useClass: PasskeyGuard }],
})
export class PasskeysModule {}
