import { Module } from '@nestjs/common';
import { StopAskingForPasskeyHandler } from './settings.handlers.js';
import { SettingsController } from './settings.controller.js';

/** A user's preferences. */
@Module({ controllers: [SettingsController], providers: [StopAskingForPasskeyHandler] })
export class SettingsModule {}
