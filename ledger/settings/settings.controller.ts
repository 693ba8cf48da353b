/** Switching one's own preferences. */
import { Body, Controller, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { SettingName } from '#contracts/events/settings';
import { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { settings } from './settings.decider.js';

@Controller('api/settings')
export class SettingsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Switches one preference.',
    answer: SettingsAnswer,
    proof: guarded<PutSettings>(
      'guard',
      ({ body }) => ({
        words:
          body.biometricEnabled === true
            ? 'Ask for my passkey before money moves'
            : 'Stop asking for my passkey before money moves',
      }),
      // The others move nothing and guard nothing.
      { when: ({ body }) => body.biometricEnabled !== undefined },
    ),
    otherwise: { 400: 'Not exactly one known setting' },
  })
  @Put()
  async change(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(PutSettings)) body: PutSettings,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SettingsAnswer> {
    const [name, on] = Object.entries(body)[0]!;
    const command = { type: 'SwitchSetting', userId, setting: SettingName.parse(name), on } as const;
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(settings, userId, command, { correlationId, actorId: userId }),
    );
    await this.readYourWrites.hold(reply, position);
    return { ...state };
  }
}
