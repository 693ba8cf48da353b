import { Module } from '@nestjs/common';
import { AskSettingsHandler } from './settings-door.js';
import { SettingsController } from './settings.controller.js';

/** A user's preferences. */
@Module({ controllers: [SettingsController], providers: [AskSettingsHandler] })
export class SettingsModule {}
