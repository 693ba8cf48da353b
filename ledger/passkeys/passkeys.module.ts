import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PasskeyGuard } from './passkeys.guard.js';
import { PasskeysController } from './passkeys.controller.js';

/** Passkeys, and where they are asked for. */
@Module({ controllers: [PasskeysController], providers: [{ provide: APP_GUARD, useClass: PasskeyGuard }] })
export class PasskeysModule {}
