/** Subscribing to pay somebody, and pausing, resuming and cancelling it. */
import { Body, Controller, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  ChangeSubscription,
  CreateSubscription,
  PatchSubscription,
  SubscriptionAnswer,
} from '#contracts/api/subscriptions';
import { PayNowBody } from '#contracts/api/schedule-body';
import type { Position } from '#contracts/log';
import type { Frequency } from '#contracts/plain/recurrence';
import { CURRENCY, decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, type ConfirmationFacts, type SubscriptionFacts } from '#edge/proof';
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
  subscriptionAnswer,
  SubscriptionAnswers,
} from './answers.js';
import { ChosenSources } from './chosen-source.js';
import { CollectInRequest } from './collect-in-request.js';
import { payNowInWords, sourceInWords } from './confirmation-words.js';
import { NewSchedules } from './new-schedules.js';
import { ScheduleClock } from './schedule-clock.js';
import { subscription } from './subscription.decider.js';

const EVERY: Readonly<Record<Frequency, string>> = {
  daily: 'every day',
  weekly: 'every week',
  monthly: 'every month',
};

const CHANGES = {
  active: 'ResumeSubscription',
  paused: 'PauseSubscription',
  cancelled: 'CancelSubscription',
} as const;

/** A subscription of the caller's. */
async function knownOf(
  userId: string,
  id: string | undefined,
  facts: ConfirmationFacts,
): Promise<SubscriptionFacts> {
  const known = id !== undefined && isIdOf('sub', id) ? await facts.subscription(userId, id) : undefined;
  if (!known) throw new Rejected('SubscriptionNotFound');
  return known;
}

@Controller('api/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly newSchedules: NewSchedules,
    private readonly sources: ChosenSources,
    private readonly collection: CollectInRequest,
    private readonly answers: SubscriptionAnswers,
    private readonly clock: ScheduleClock,
    private readonly vault: Vault,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Subscribes: the first payment is due at once, and the answer says what became of it. The same Idempotency-Key and body make one subscription.',
    answer: SubscriptionAnswer,
    proof: guarded<CreateSubscription>('money', async ({ userId, body }, facts) => {
      const to = await facts.nameOf(body.toUserId);
      const from = body.source && (await sourceInWords(userId, body.source, facts));
      return {
        words: `Pay ${dollarsFromMinor(body.amount)} to ${to} ${EVERY[body.frequency]}, beginning now${from === undefined ? '' : `, from ${from}`}`,
        amount: decimalFromMinor(body.amount),
        to,
        from: from ?? COLLECTED_FROM,
        arrives: EVERY[body.frequency],
      };
    }),
    otherwise: NOT_SCHEDULED,
  })
  @Post()
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreateSubscription)) body: CreateSubscription,
    @ClientKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubscriptionAnswer> {
    const subscriptionId = idFrom('sub', userKey(userId, key));
    const { toUserId: recipientId, amount: amountMinor, frequency, description, source: chosen } = body;
    const [fingerprint, sealed, before] = await Promise.all([
      this.vault.fingerprint(userId, body),
      description === undefined ? undefined : this.vault.seal(userId, description),
      this.streams.read(subscription, subscriptionId),
    ]);
    const command = {
      type: 'CreateSubscription' as const,
      subscriptionId,
      payerId: userId,
      recipientId,
      amountMinor,
      currency: CURRENCY,
      frequency,
      description: sealed,
      fingerprint,
      now: this.clock.now(),
    };
    // Its own rules first. A repeat is not asked for money that it has spent meanwhile.
    const isNew = subscription.decide(command, before).length > 0;
    const by = { correlationId, actorId: userId };
    const place = { scheduleId: subscriptionId, scheduleKind: 'subscription', amountMinor } as const;
    const isMade = async (): Promise<boolean> =>
      subscription.decide(command, await this.streams.read(subscription, subscriptionId)).length === 0;
    const source = isNew
      ? await this.newSchedules.prepare(userId, { ...place, recipientId, chosen }, by, isMade)
      : undefined;
    const { position } = await this.bus.execute(
      new ExecuteStreamCommand(subscription, subscriptionId, { ...command, source }, by),
    );
    const collected = isNew
      ? await this.collection.collect('subscription', subscriptionId, { correlationId })
      : undefined;
    return this.answer(userId, subscriptionId, reply, [position, collected], description);
  }

  @ApiCall({
    summary:
      'Changes the amount, or what pays, from the next attempt on. A payment that is under way stays as it is; the notice says so.',
    answer: SubscriptionAnswer,
    proof: guarded<ChangeSubscription>('money', async ({ userId, params, body }, facts) => {
      const known = await knownOf(userId, params['id'], facts);
      const amount = body.amount ?? known.amountMinor;
      const from = await sourceInWords(userId, body.source ?? known.source, facts);
      return {
        words: `Pay ${dollarsFromMinor(amount)} to ${known.to} ${EVERY[known.frequency]} from now on, from ${from}`,
        amount: decimalFromMinor(amount),
        to: known.to,
        from,
        arrives: EVERY[known.frequency],
      };
    }),
    otherwise: NOT_CHANGED,
  })
  @Patch(':id')
  async changeTerms(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(ChangeSubscription)) change: ChangeSubscription,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubscriptionAnswer> {
    if (!isIdOf('sub', id)) throw new Rejected('SubscriptionNotFound');
    const before = await this.streams.read(subscription, id);
    const now = this.clock.now();
    // Its own rules first: whose it is, and whether it goes on.
    subscription.decide({ type: 'ChangeSubscription', by: userId, now }, before);
    const source = await this.sources.afterChange(userId, change, stateAfter(before));
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(
        subscription,
        id,
        { type: 'ChangeSubscription', by: userId, amountMinor: change.amount, source, now },
        { correlationId, actorId: userId },
      ),
    );
    return this.answer(userId, id, reply, [position], undefined, changeNotice(stateAfter(state).open));
  }

  @ApiCall({
    summary:
      'Tries the failed payment of a due time again now, and resumes the subscription where that paused it. The answer says what became of it. A due time is paid once, however often this is sent.',
    answer: SubscriptionAnswer,
    proof: guarded('money', async ({ userId, params }, facts) => {
      const known = await knownOf(userId, params['id'], facts);
      const goingOn = known.isPaused ? `, and go on paying ${EVERY[known.frequency]}` : '';
      return payNowInWords(userId, known, facts, goingOn);
    }),
    otherwise: NOT_PAID_NOW,
  })
  @Post(':id/pay-now')
  @HttpCode(200)
  async payNow(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(PayNowBody)) { dueAt }: PayNowBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubscriptionAnswer> {
    if (!isIdOf('sub', id)) throw new Rejected('SubscriptionNotFound');
    const command = { type: 'PayNow', by: userId, dueAt, now: this.clock.now() } as const;
    const before = await this.streams.read(subscription, id);
    // What is under way, or paid, is answered as that, whoever leaves meanwhile.
    if (subscription.decide(command, before).length > 0)
      await this.bus.execute(new RequireStaying(stateAfter(before).terms.recipientId));
    const by = { correlationId, actorId: userId };
    const { position } = await this.bus.execute(new ExecuteStreamCommand(subscription, id, command, by));
    const collected = await this.collection.collect('subscription', id, { correlationId });
    return this.answer(userId, id, reply, [position, collected]);
  }

  @ApiCall({
    summary: 'Pauses, resumes or cancels. A payment that is under way is not stopped; the notice says so.',
    answer: SubscriptionAnswer,
    proof: guarded<PatchSubscription>(
      'money',
      async ({ userId, params }, facts) => {
        const { amountMinor, frequency, source, to } = await knownOf(userId, params['id'], facts);
        return {
          words: `Resume paying ${dollarsFromMinor(amountMinor)} to ${to} ${EVERY[frequency]}`,
          amount: decimalFromMinor(amountMinor),
          to,
          from: await sourceInWords(userId, source, facts),
          arrives: EVERY[frequency],
        };
      },
      // To pause or to cancel stops payments.
      { when: ({ body }) => body.status === 'active' },
    ),
    otherwise: { 400: 'Another status', 404: 'Subscription not found', 409: 'It is cancelled' },
  })
  @Patch(':id/status')
  async change(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') id: string,
    @Body(new Validated(PatchSubscription)) { status }: PatchSubscription,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubscriptionAnswer> {
    if (!isIdOf('sub', id)) throw new Rejected('SubscriptionNotFound');
    const before = await this.streams.read(subscription, id);
    const { state, events, position } = await this.bus.execute(
      new ExecuteStreamCommand(
        subscription,
        id,
        { type: CHANGES[status], by: userId, now: this.clock.now() },
        { correlationId, actorId: userId },
      ),
    );
    const notice =
      status === 'active' || before.status === 'none'
        ? null
        : noticeOf(before.open, stateAfter(state).open, events);
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
  ): Promise<SubscriptionAnswer> {
    const isShown = await this.readYourWrites.hold(reply, ...positions);
    const state = stateAfter(await this.streams.read(subscription, id));
    const shown = await this.answers.of(userId, id);
    const row = shown && isShown ? shown : subscriptionAnswer(state, description, shown);
    return { ...row, notice };
  }
}
