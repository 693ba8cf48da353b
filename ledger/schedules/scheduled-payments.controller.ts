/** Paying somebody at a time to come, and calling it off. */
import { Body, Controller, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  ChangeScheduledPayment,
  CreateScheduledPayment,
  PatchScheduledPayment,
  ScheduledPaymentAnswer,
} from '#contracts/api/scheduled-payments';
import { PayNowBody } from '#contracts/api/schedule-body';
import type { Position } from '#contracts/log';
import { CURRENCY, decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { shortUtcTime } from '#contracts/plain/utc-time';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded, type ConfirmationFacts, type ScheduledPaymentFacts } from '#edge/proof';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { RequireStaying } from '../bus/known-user.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { idFrom, isIdOf, userKey } from '../journal/keys.js';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import {
  changeNotice,
  COLLECTED_FROM,
  NOT_CHANGED,
  NOT_PAID_NOW,
  noticeOf,
  NOT_SCHEDULED,
  stateAfter,
  scheduledPaymentAnswer,
  ScheduledPaymentAnswers,
} from './answers.js';
import { ChosenSources } from './chosen-source.js';
import { CollectInRequest } from './collect-in-request.js';
import { payNowInWords, sourceInWords } from './confirmation-words.js';
import { NewSchedules } from './new-schedules.js';
import { ScheduleClock } from './schedule-clock.js';
import { ScheduleCounts } from './schedule-counts.js';
import { scheduledPayment } from './scheduled-payment.decider.js';

/** A scheduled payment of the caller's. */
async function knownOf(
  userId: string,
  id: string | undefined,
  facts: ConfirmationFacts,
): Promise<ScheduledPaymentFacts> {
  const known = id !== undefined && isIdOf('sch', id) ? await facts.scheduledPayment(userId, id) : undefined;
  if (!known) throw new Rejected('ScheduledPaymentNotFound');
  return known;
}

@Controller('api/scheduled-payments')
export class ScheduledPaymentsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly newSchedules: NewSchedules,
    private readonly sources: ChosenSources,
    private readonly collection: CollectInRequest,
    private readonly answers: ScheduledPaymentAnswers,
    private readonly clock: ScheduleClock,
    private readonly vault: Vault,
    private readonly readYourWrites: ReadYourWrites,
    private readonly counts: ScheduleCounts,
  ) {}

  @ApiCall({
    summary: 'Schedules a payment. The same Idempotency-Key and body make one.',
    answer: ScheduledPaymentAnswer,
    proof: guarded<CreateScheduledPayment>('money', async ({ userId, body }, facts) => {
      const to = await facts.nameOf(body.toUserId);
      const from = body.source && (await sourceInWords(userId, body.source, facts));
      return {
        words: `Pay ${dollarsFromMinor(body.amount)} to ${to} on ${shortUtcTime(new Date(body.scheduledDate))}${from === undefined ? '' : `, from ${from}`}`,
        amount: decimalFromMinor(body.amount),
        to,
        from: from ?? COLLECTED_FROM,
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
    const command = {
      type: 'SchedulePayment' as const,
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
    const place = { scheduleId, scheduleKind: 'scheduled-payment', amountMinor } as const;
    const isMade = async (): Promise<boolean> =>
      scheduledPayment.decide(command, await this.streams.read(scheduledPayment, scheduleId)).length === 0;
    const source = isNew
      ? await this.newSchedules.prepare(userId, { ...place, recipientId, chosen: body.source }, by, isMade)
      : undefined;
    const { position } = await this.bus.execute(
      new ExecuteStreamCommand(scheduledPayment, scheduleId, { ...command, source }, by),
    );
    return this.answer(userId, scheduleId, reply, [position], description);
  }

  @ApiCall({
    summary:
      'Changes the amount, what pays, or the date, which a failed one may have anew. While it is under way only what pays can change, for another attempt; the notice says so.',
    answer: ScheduledPaymentAnswer,
    proof: guarded<ChangeScheduledPayment>('money', async ({ userId, params, body }, facts) => {
      const known = await knownOf(userId, params['id'], facts);
      const amount = body.amount ?? known.amountMinor;
      const dueAt = body.scheduledDate ?? known.dueAt;
      const from = await sourceInWords(userId, body.source ?? known.source, facts);
      return {
        words: `Pay ${dollarsFromMinor(amount)} to ${known.to} on ${shortUtcTime(new Date(dueAt))}, from ${from}`,
        amount: decimalFromMinor(amount),
        to: known.to,
        from,
        arrives: dueAt,
      };
    }),
    otherwise: NOT_CHANGED,
  })
  @Patch(':id')
  async change(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(ChangeScheduledPayment)) change: ChangeScheduledPayment,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledPaymentAnswer> {
    if (!isIdOf('sch', id)) throw new Rejected('ScheduledPaymentNotFound');
    const { amount: amountMinor, scheduledDate: dueAt } = change;
    const before = await this.streams.read(scheduledPayment, id);
    const asked = { type: 'ChangeScheduledPayment', by: userId, now: this.clock.now() } as const;
    // Its own rules first: whose it is, and whether it is still to be made.
    scheduledPayment.decide({ ...asked, amountMinor, dueAt }, before);
    const known = stateAfter(before);
    const source = await this.sources.afterChange(userId, change, known);
    const amountBefore = known.terms.amountMinor;
    const amountAfter = amountMinor ?? amountBefore;
    const by = { correlationId, actorId: userId };
    const place = { scheduleId: id, scheduleKind: 'scheduled-payment', amountMinor: amountAfter } as const;
    // More is counted before it is asked for, less after: what is counted is never too little.
    if (amountAfter >= amountBefore) await this.counts.take(userId, place, by);
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(scheduledPayment, id, { ...asked, amountMinor, source, dueAt }, by),
    );
    if (amountAfter < amountBefore) await this.counts.take(userId, place, by);
    return this.answer(userId, id, reply, [position], undefined, changeNotice(stateAfter(state).open));
  }

  @ApiCall({
    summary:
      'Tries the failed payment again now; the answer says what became of it. It is paid once, however often this is sent.',
    answer: ScheduledPaymentAnswer,
    proof: guarded('money', async ({ userId, params }, facts) =>
      payNowInWords(userId, await knownOf(userId, params['id'], facts), facts),
    ),
    otherwise: NOT_PAID_NOW,
  })
  @Post(':id/pay-now')
  @HttpCode(200)
  async payNow(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(PayNowBody)) { dueAt }: PayNowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledPaymentAnswer> {
    if (!isIdOf('sch', id)) throw new Rejected('ScheduledPaymentNotFound');
    const command = { type: 'PayNow', by: userId, dueAt, now: this.clock.now() } as const;
    const before = await this.streams.read(scheduledPayment, id);
    const by = { correlationId, actorId: userId };
    // One that had failed takes a place again. What is under way, or paid, is answered as that, whoever
    // leaves meanwhile.
    if (scheduledPayment.decide(command, before).length > 0) {
      const { amountMinor, recipientId } = stateAfter(before).terms;
      await this.bus.execute(new RequireStaying(recipientId));
      await this.counts.take(userId, { scheduleId: id, scheduleKind: 'scheduled-payment', amountMinor }, by);
    }
    const { position } = await this.bus.execute(new ExecuteStreamCommand(scheduledPayment, id, command, by));
    const collected = await this.collection.collect('scheduled-payment', id, { correlationId });
    return this.answer(userId, id, reply, [position, collected]);
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
    const { state, events, position } = await this.bus.execute(
      new ExecuteStreamCommand(
        scheduledPayment,
        id,
        { type: 'CancelScheduledPayment', by: userId, now: this.clock.now() },
        { correlationId, actorId: userId },
      ),
    );
    const notice = before.status === 'none' ? null : noticeOf(before.open, stateAfter(state).open, events);
    return this.answer(userId, id, reply, [position], undefined, notice);
  }

  /** What its payer is told once the read models show it, or the log says it instead. */
  private async answer(
    userId: string,
    id: string,
    reply: FastifyReply,
    positions: readonly (Position | undefined)[],
    description?: string,
    notice: string | null = null,
  ): Promise<ScheduledPaymentAnswer> {
    const isShown = await this.readYourWrites.hold(reply, ...positions);
    const state = stateAfter(await this.streams.read(scheduledPayment, id));
    const shown = await this.answers.of(userId, id);
    const row = shown && isShown ? shown : scheduledPaymentAnswer(state, description, shown);
    return { ...row, notice };
  }
}
