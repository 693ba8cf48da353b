/**
 * Which proof a call needs before it is carried out: a line beside each call that changes something, in its
 * `@ApiCall({ proof: … })`. A call is guarded by its effect: what it debits, whom it will charge, or where
 * money goes, who signs in and what is guarded from then on. A proof is a passkey's where the owner has one
 * and asks for it, else a sign-in at the identity provider of the last ten minutes.
 */
import type { Frequency } from '#contracts/plain/recurrence';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Confirmation } from '#contracts/api/step-up';
import { decimalFromMinor } from '#contracts/plain/money';

/** What a guarded call changes. */
type GuardedEffect =
  /** Debits the caller, now or later. */
  | 'money'
  /** Changes where money goes, or what is charged. */
  | 'destination'
  /** Changes who signs in, or for how long. */
  | 'identity'
  /** Changes what is asked for a proof. */
  | 'guard'
  /** Hands out or destroys what is known of the caller. */
  | 'data';

/** A call that has passed the gate; its body has been read by its schema. */
export interface GuardedCall<Body = unknown> {
  readonly userId: string;
  readonly sessionId: string;
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
}

/** A subscription in the words of a confirmation. */
export interface SubscriptionFacts {
  readonly amountMinor: number;
  /** The recipient, as {@link ConfirmationFacts.nameOf} calls them. */
  readonly to: string;
  readonly frequency: Frequency;
  readonly isPaused: boolean;
  readonly source: SourceFacts;
}

/** A scheduled payment in the words of a confirmation. */
export interface ScheduledPaymentFacts {
  readonly amountMinor: number;
  /** The recipient, as {@link ConfirmationFacts.nameOf} calls them. */
  readonly to: string;
  readonly dueAt: string;
  readonly source: SourceFacts;
}

/** What pays a schedule. */
export type SourceFacts =
  | { readonly from: 'balance_then_card' | 'balance' }
  | { readonly from: 'card'; readonly cardId: string };

/**
 * What the words of a confirmation name beside the call's own body; filled in processes/ledger/reads.ts.
 * Each but a name is undefined for what is not the user's, or not known yet.
 */
export abstract class ConfirmationFacts {
  /**
   * What others may see of a user: name and username, or the username alone; `somebody` where neither is
   * known.
   */
  abstract nameOf(userId: string): Promise<string>;
  /** The available balance, in minor units. */
  abstract availableOf(userId: string): Promise<number | undefined>;
  /** The bank's name and the last four digits. */
  abstract bankAccount(userId: string, bankAccountId: string): Promise<string | undefined>;
  /** The brand and the last four digits of a saved card. */
  abstract card(userId: string, cardId: string): Promise<string | undefined>;
  /** The device of a session, by the session's public id. */
  abstract session(userId: string, sessionId: string): Promise<string | undefined>;
  /** The name that its owner gave a passkey. */
  abstract passkey(userId: string, passkeyId: string): Promise<string | undefined>;
  abstract wallet(userId: string, walletId: string): Promise<string | undefined>;
  abstract subscription(userId: string, subscriptionId: string): Promise<SubscriptionFacts | undefined>;
  abstract scheduledPayment(userId: string, scheduleId: string): Promise<ScheduledPaymentFacts | undefined>;
}

/** The line of a guarded call. */
export interface Guarded {
  readonly effect: GuardedEffect;
  /** Whether this call needs a proof; each does where it is left out. */
  when?(call: GuardedCall, facts: ConfirmationFacts): boolean | Promise<boolean>;
  /**
   * What the call does, for the owner to confirm and a passkey to sign. It names all that a thief would
   * change: amount, destination and source. May throw what the call itself would be refused with.
   */
  words(call: GuardedCall, facts: ConfirmationFacts): Confirmation | Promise<Confirmation>;
  /**
   * The rules of the domain let some of it through without a proof: the call is not refused for lacking one,
   * but learns by {@link ShownProof} whether it came with one.
   */
  readonly isAllowedSome?: true;
  /** By what alone, where it is not the rule above; `both` asks for a sign-in also where a passkey guards. */
  readonly by?: ProofKind;
  /** It is not held back while the account is being recovered. */
  readonly duringRecovery?: true;
}

type ProofKind = 'sign-in' | 'passkey' | 'both';

/** The line of a call that needs none, with the reason. */
interface Unguarded {
  readonly none: string;
}

export type ProofLine = Guarded | Unguarded;

/** A guarded call's line: `proof: guarded<RequestPayout>('money', ({ body }, facts) => ({ words: … }))`. */
export function guarded<Body = unknown>(
  effect: GuardedEffect,
  words: (call: GuardedCall<Body>, facts: ConfirmationFacts) => Confirmation | Promise<Confirmation>,
  more: {
    when?: (call: GuardedCall<Body>, facts: ConfirmationFacts) => boolean | Promise<boolean>;
    by?: ProofKind;
    isAllowedSome?: true;
    duringRecovery?: true;
  } = {},
): Guarded {
  // The guard reads the body by the schema of the very call whose line this is.
  return { effect, words, ...more } as Guarded;
}

/** The line of a call that needs no proof: `proof: unguarded('It moves nothing.')`. */
export const unguarded = (reason: string): Unguarded => ({ none: reason });

/** What a call whose line says `isAllowedSome` came with. */
export interface CallProof {
  readonly isGiven: boolean;
  /** The 403 that asks for a proof. */
  refusal(): Promise<Error>;
}

/** The proof that a call came with, as a controller's argument. */
export const ShownProof = createParamDecorator((_: unknown, context: ExecutionContext): CallProof => {
  const { proof } = context.switchToHttp().getRequest<FastifyRequest>();
  if (proof === undefined) throw new Error('The line of this call does not say isAllowedSome.');
  return proof;
});

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard where the call's line says `isAllowedSome`. */
    proof?: CallProof;
  }
}

/**
 * What is left of the available balance after a debit, for a confirmation; undefined where that is not known.
 */
export async function leftAfter(
  facts: ConfirmationFacts,
  userId: string,
  amountMinor: number,
): Promise<string | undefined> {
  const available = await facts.availableOf(userId);
  return available === undefined || available < amountMinor
    ? undefined
    : decimalFromMinor(available - amountMinor);
}

export const isGuarded = (line: ProofLine | undefined): line is Guarded =>
  line !== undefined && 'effect' in line;
