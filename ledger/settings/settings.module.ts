import { Module } from '@nestjs/common';
import { SettingsController } from './settings.controller.js';

/** A user's preferences. */
@Module({ controllers: [SettingsController] })
export class SettingsModule {}
