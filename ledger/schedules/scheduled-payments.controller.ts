/** Paying somebody at a time to come, and calling it off. */
import { Body, Controller, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  CreateScheduledPayment,
  PatchScheduledPayment,
  type ScheduledPayment,
  ScheduledPaymentAnswer,
} from '#contracts/api/scheduled-payments';
import { CURRENCY, decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { idFrom, isIdOf, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import {
  COLLECTED_FROM,
  noticeOf,
  NOT_SCHEDULED,
  stateAfter,
  scheduledPaymentAnswer,
  ScheduledPaymentAnswers,
} from './answers.js';
import { Funding } from './funding.js';
import { ScheduleClock } from './schedule-clock.js';
import { ScheduleCounts } from './schedule-counts.js';
import {
  scheduledPayment,
  type KnownScheduledPayment,
  type ScheduledPaymentCommand,
} from './scheduled-payment.decider.js';

/** A due time as a person reads it: `Nov 24, 2026, 10:00 AM UTC`. */
const dayAndTime = (iso: string): string =>
  `${new Date(iso).toLocaleString('en-US', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' })} UTC`;

@Controller('api/scheduled-payments')
export class ScheduledPaymentsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly funding: Funding,
    private readonly counts: ScheduleCounts,
    private readonly answers: ScheduledPaymentAnswers,
    private readonly clock: ScheduleClock,
    private readonly vault: Vault,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Schedules a payment. The same Idempotency-Key and body make one.',
    answer: ScheduledPaymentAnswer,
    proof: guarded<CreateScheduledPayment>('money', async ({ body }, facts) => {
      const to = (await facts.nameOf(body.toUserId)) ?? 'somebody';
      return {
        words: `Pay ${dollarsFromMinor(body.amount)} to ${to} on ${dayAndTime(body.scheduledDate)}`,
        amount: decimalFromMinor(body.amount),
        to,
        from: COLLECTED_FROM,
        arrives: body.scheduledDate,
      };
    }),
    otherwise: NOT_SCHEDULED,
  })
  @Post()
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreateScheduledPayment)) body: CreateScheduledPayment,
    @ClientKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledPaymentAnswer> {
    const scheduleId = idFrom('sch', userKey(userId, key));
    const { toUserId: recipientId, amount: amountMinor, scheduledDate: dueAt, description } = body;
    const [fingerprint, sealed, before] = await Promise.all([
      this.vault.fingerprint(userId, body),
      description === undefined ? undefined : this.vault.seal(userId, description),
      this.streams.read(scheduledPayment, scheduleId),
    ]);
    const command: ScheduledPaymentCommand = {
      type: 'SchedulePayment',
      scheduleId,
      payerId: userId,
      recipientId,
      amountMinor,
      currency: CURRENCY,
      dueAt,
      description: sealed,
      fingerprint,
      now: this.clock.now(),
    };
    // Its own rules first. A repeat is not asked for money that it has spent meanwhile.
    const isNew = scheduledPayment.decide(command, before).length > 0;
    const by = { correlationId, actorId: userId };
    if (isNew) {
      await this.funding.assertPossible(userId, recipientId, amountMinor);
      const schedule = { scheduleId, scheduleKind: 'scheduled-payment', amountMinor } as const;
      await this.counts.take(userId, schedule, by);
    }
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(scheduledPayment, scheduleId, command, by),
    );
    const isShown = await this.readYourWrites.hold(reply, position);
    return { ...(await this.rowOf(userId, stateAfter(state), isShown, description)), notice: null };
  }

  @ApiCall({
    summary: 'Cancels. A payment that is under way is not stopped; the notice says so.',
    answer: ScheduledPaymentAnswer,
    proof: unguarded('It stops a payment.'),
    otherwise: {
      400: 'Another status',
      404: 'Scheduled payment not found',
      409: 'It was made, or has failed',
    },
  })
  @Patch(':id/status')
  async cancel(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(PatchScheduledPayment)) _: PatchScheduledPayment,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledPaymentAnswer> {
    if (!isIdOf('sch', id)) throw new Rejected('ScheduledPaymentNotFound');
    const before = await this.streams.read(scheduledPayment, id);
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(
        scheduledPayment,
        id,
        { type: 'CancelScheduledPayment', by: userId, now: this.clock.now() },
        { correlationId, actorId: userId },
      ),
    );
    const isShown = await this.readYourWrites.hold(reply, position);
    const notice = before.status === 'none' ? null : noticeOf(before.open, stateAfter(state).open);
    return { ...(await this.rowOf(userId, stateAfter(state), isShown)), notice };
  }

  private async rowOf(
    userId: string,
    state: KnownScheduledPayment,
    isShown: boolean,
    description?: string,
  ): Promise<ScheduledPayment> {
    const shown = await this.answers.of(userId, state.terms.scheduleId);
    return shown && isShown ? shown : scheduledPaymentAnswer(state, description, shown);
  }
}
