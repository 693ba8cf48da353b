/** Subscribing to pay somebody, and pausing, resuming and cancelling it. */
import { Body, Controller, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  CreateSubscription,
  PatchSubscription,
  type Subscription,
  SubscriptionAnswer,
} from '#contracts/api/subscriptions';
import type { Frequency } from '#contracts/plain/recurrence';
import { CURRENCY, decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
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
  subscriptionAnswer,
  SubscriptionAnswers,
} from './answers.js';
import { Funding } from './funding.js';
import { ScheduleClock } from './schedule-clock.js';
import { ScheduleCounts } from './schedule-counts.js';
import { subscription, type KnownSubscription, type SubscriptionCommand } from './subscription.decider.js';

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

@Controller('api/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly funding: Funding,
    private readonly counts: ScheduleCounts,
    private readonly answers: SubscriptionAnswers,
    private readonly clock: ScheduleClock,
    private readonly vault: Vault,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Subscribes: the first payment is due at once. The same Idempotency-Key and body make one subscription.',
    answer: SubscriptionAnswer,
    proof: guarded<CreateSubscription>('money', async ({ body }, facts) => {
      const to = (await facts.nameOf(body.toUserId)) ?? 'somebody';
      return {
        words: `Pay ${dollarsFromMinor(body.amount)} to ${to} ${EVERY[body.frequency]}, beginning now`,
        amount: decimalFromMinor(body.amount),
        to,
        from: COLLECTED_FROM,
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
    const { toUserId: recipientId, amount: amountMinor, frequency, description } = body;
    const [fingerprint, sealed, before] = await Promise.all([
      this.vault.fingerprint(userId, body),
      description === undefined ? undefined : this.vault.seal(userId, description),
      this.streams.read(subscription, subscriptionId),
    ]);
    const command: SubscriptionCommand = {
      type: 'CreateSubscription',
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
    if (isNew) {
      await this.funding.assertPossible(userId, recipientId, amountMinor);
      const schedule = { scheduleId: subscriptionId, scheduleKind: 'subscription', amountMinor } as const;
      await this.counts.take(userId, schedule, by);
    }
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(subscription, subscriptionId, command, by),
    );
    const isShown = await this.readYourWrites.hold(reply, position);
    return { ...(await this.rowOf(userId, stateAfter(state), isShown, description)), notice: null };
  }

  @ApiCall({
    summary: 'Pauses, resumes or cancels. A payment that is under way is not stopped; the notice says so.',
    answer: SubscriptionAnswer,
    proof: guarded<PatchSubscription>(
      'money',
      async ({ userId, params }, facts) => {
        const known = await facts.subscription(userId, params['id'] ?? '');
        if (!known) throw new Rejected('SubscriptionNotFound');
        const to = (await facts.nameOf(known.recipientId)) ?? 'somebody';
        return {
          words: `Resume paying ${dollarsFromMinor(known.amountMinor)} to ${to} ${EVERY[known.frequency]}`,
          amount: decimalFromMinor(known.amountMinor),
          to,
          from: COLLECTED_FROM,
          arrives: EVERY[known.frequency],
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
    const { state, position } = await this.bus.execute(
      new ExecuteStreamCommand(
        subscription,
        id,
        { type: CHANGES[status], by: userId, now: this.clock.now() },
        { correlationId, actorId: userId },
      ),
    );
    const isShown = await this.readYourWrites.hold(reply, position);
    const notice =
      status === 'active' || before.status === 'none' ? null : noticeOf(before.open, stateAfter(state).open);
    return { ...(await this.rowOf(userId, stateAfter(state), isShown)), notice };
  }

  private async rowOf(
    userId: string,
    state: KnownSubscription,
    isShown: boolean,
    description?: string,
  ): Promise<Subscription> {
    const shown = await this.answers.of(userId, state.terms.subscriptionId);
    return shown && isShown ? shown : subscriptionAnswer(state, description, shown);
  }
}
