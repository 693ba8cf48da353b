/** Reading one's own preferences. */
import { Controller, Get } from '@nestjs/common';
import { SettingsAnswer } from '#contracts/api/settings';
import { SETTINGS_PARKED } from '#contracts/plain/parked';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { Queryable } from '../engine/read-model.js';
import { settingsOf } from './queries.js';

@Controller('api/settings')
export class SettingsReadController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({ summary: 'The user’s preferences.', answer: SettingsAnswer })
  @Get()
  async mine(@SignedIn() { userId }: Caller): Promise<SettingsAnswer> {
    const { isParked, ...settings } = await settingsOf(this.db, userId);
    return isParked ? { ...settings, notice: SETTINGS_PARKED } : settings;
  }
}
