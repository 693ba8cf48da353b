/**
 * Step-up: asks for a proof before a call that debits its caller, charges them later, or changes where money
 * goes, who signs in or what is guarded. It stands in front of every call and goes by the line beside each
 * (edge/proof.ts), so that no slice has to remember it. What it decides on is read from the log, never from a
 * read model: while that lags nothing is open, and while the event store is away a guarded call is refused.
 */
import { recordedFingerprint } from '#contracts/plain/fingerprint';
import { Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AnsweredError, CallerAnswer } from '#contracts/api/error';
import { PASSKEY_REQUIRED, SIGN_IN_REQUIRED, type RequestedConfirmation } from '#contracts/api/step-up';
import { IDEMPOTENCY_KEY_HEADER, PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { callOf, isDescribed, type ApiCallDescription } from '#edge/api-call';
import type { SignedInSession } from '#edge/caller';
import { ConfirmationFacts, guarded, type Guarded, type GuardedCall, isGuarded } from '#edge/proof';
import { read } from '#edge/validated';
import { Vault } from '#log/vault';
import { RecoveryHold } from '../recovery-hold.js';
import { SecurityTrail, trailOf } from '../security-trail/security-trail.js';
import { Confirmations, type BoundCall } from '../step-up/confirmations.js';
import { PasskeyHandlers } from './passkeys.handlers.js';

/** Whether the user wants to be asked for a passkey, as the log says; filled in processes/ledger/reads.ts. */
export abstract class PasskeySwitch {
  /** Throws StoreAway. On where it cannot be read for good. */
  abstract isOn(userId: string): Promise<boolean>;
}

/** So long a sign-in at the identity provider is a proof. */
const SIGN_IN_PROVES_MS = 10 * 60_000;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** A call that changes something and has no line is guarded: a forgotten line opens nothing. */
const FORGOTTEN = guarded('guard', () => ({ words: 'Change something in my account' }));

type RawRequest = FastifyRequest & { readonly rawBody?: Buffer };

/** A guarded call with all that a proof is bound to. */
interface GuardedRequest {
  readonly line: Guarded;
  readonly call: GuardedCall;
  readonly session: SignedInSession;
  readonly bound: BoundCall;
  readonly request: RawRequest;
  readonly key: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where the call came with its proof, or repeats one that did. */
    confirmedCall?: BoundCall;
  }
}

@Injectable()
export class StepUpGuard implements CanActivate {
  readonly #calls = new WeakMap<object, ApiCallDescription | undefined>();

  constructor(
    private readonly passkeys: PasskeyHandlers,
    private readonly passkeySwitch: PasskeySwitch,
    private readonly confirmations: Confirmations,
    private readonly facts: ConfirmationFacts,
    private readonly vault: Vault,
    private readonly trail: SecurityTrail,
    private readonly recovery: RecoveryHold,
  ) {}

  /**
   * Throws a {@link ProofNeeded} (403) that says what is to be confirmed and how, and what a read of the log
   * throws.
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RawRequest>();
    const session = request.signedIn;
    if (session === undefined) return true;
    const described = this.#describe(context);
    const line = described?.proof ?? (READS.has(request.method) ? undefined : FORGOTTEN);
    if (!isGuarded(line)) return true;
    const call: GuardedCall = {
      userId: session.userId,
      sessionId: session.sessionId,
      body: described?.body ? read(described.body, request.body) : undefined,
      params: request.params as Record<string, string>,
    };
    if (line.when && !(await line.when(call, this.facts))) return true;
    // Whoever can sign in may be the thief, and so may whoever has a passkey: no proof will do.
    if (!line.duringRecovery) await this.recovery.assertNone(call.userId);
    const key = String(request.headers[IDEMPOTENCY_KEY_HEADER] ?? '');
    const repeats = !described?.isKeyed ? 'briefly' : key === '' ? 'none' : 'by-key';
    const bound: BoundCall = { mac: await this.#macOf(session, request, key), repeats };
    const asked: GuardedRequest = { line, call, session, bound, request, key };
    const isRepeat = await this.confirmations.isRepeat(session, bound);
    const refusal = isRepeat ? undefined : await this.#missingProof(asked);
    if (refusal === undefined) {
      request.confirmedCall = bound;
      const { method, routeOptions } = request;
      // The log does not say from which session and device a call came.
      if (!isRepeat)
        this.trail.note({
          what: 'confirmed',
          ...trailOf(request),
          detail: { method, route: routeOptions.url ?? 'none' },
        });
    }
    if (line.isAllowedSome === true)
      request.proof = {
        isGiven: refusal === undefined,
        refusal: refusal ?? (() => this.#signInRefusal(asked)),
      };
    else if (refusal) throw await refusal();
    return true;
  }

  /** What the call is refused with for want of a proof; undefined where it has one. */
  async #missingProof(asked: GuardedRequest): Promise<(() => Promise<ProofNeeded>) | undefined> {
    const { line, session, bound } = asked;
    const isFresh =
      session.signedInAt !== undefined && Date.now() - session.signedInAt.getTime() < SIGN_IN_PROVES_MS;
    const needsPasskey = await this.#needsPasskey(line, session.userId);
    const needsSignIn = line.by === 'sign-in' || line.by === 'both' || !needsPasskey;
    if (needsSignIn && !isFresh) return () => this.#signInRefusal(asked);
    if (needsPasskey)
      return (await this.#showsPasskey(asked)) ? undefined : () => this.#passkeyRefusal(asked);
    await this.confirmations.note(session, bound);
    return undefined;
  }

  async #needsPasskey({ by }: Guarded, userId: string): Promise<boolean> {
    if (by === 'sign-in') return false;
    if (by === 'passkey') return true;
    return (await this.passkeySwitch.isOn(userId)) && (await this.passkeys.guards(userId));
  }

  /** Whether the call comes with a passkey's proof for it. */
  async #showsPasskey({ line, call, session, bound, request }: GuardedRequest): Promise<boolean> {
    const proof = request.headers[PASSKEY_PROOF_HEADER];
    if (typeof proof !== 'string') return false;
    const { words } = await line.words(call, this.facts);
    const wordsMac = recordedFingerprint(await this.vault.fingerprint(session.userId, { words }));
    return this.confirmations.accepts(session, bound, proof, wordsMac);
  }

  async #passkeyRefusal({ line, call, session, bound, request, key }: GuardedRequest): Promise<ProofNeeded> {
    const confirmation = await line.words(call, this.facts);
    const { words } = confirmation;
    const { method, url: path, rawBody: body = Buffer.alloc(0) } = request;
    const wordsMac = recordedFingerprint(await this.vault.fingerprint(session.userId, { words }));
    const signed = { method, path, body, key, words };
    const { id, expiresAt } = await this.confirmations.ask(session, bound, signed, wordsMac);
    return new ProofNeeded('Please confirm with your passkey.', PASSKEY_REQUIRED, {
      ...confirmation,
      id,
      expiresAt: expiresAt.toISOString(),
    });
  }

  async #signInRefusal({ line, call }: GuardedRequest): Promise<ProofNeeded> {
    return new ProofNeeded(
      'Please sign in again to confirm this.',
      SIGN_IN_REQUIRED,
      await line.words(call, this.facts),
    );
  }

  /** Under the user's key: bodies may hold what can be guessed, such as the digits of a bank account. */
  async #macOf({ userId }: SignedInSession, request: RawRequest, key: string): Promise<string> {
    const body = (request.rawBody ?? Buffer.alloc(0)).toString('base64');
    return recordedFingerprint(
      await this.vault.fingerprint(userId, { method: request.method, path: request.url, body, key }),
    );
  }

  #describe(context: ExecutionContext): ApiCallDescription | undefined {
    const handler = context.getHandler();
    if (!this.#calls.has(handler))
      this.#calls.set(
        handler,
        isDescribed(handler) ? callOf(context.getClass<Type>() as Type, handler.name) : undefined,
      );
    return this.#calls.get(handler);
  }
}

/** The 403 that asks for a proof. */
class ProofNeeded extends Error implements AnsweredError {
  override readonly name = 'ProofNeeded';
  readonly answer: CallerAnswer;

  constructor(message: string, code: string, confirm: RequestedConfirmation) {
    super(message);
    this.answer = { status: 403, message, code, confirm };
  }
}
