/** The ledger's internal port, as a worker calls it. */
import { CORRELATION_HEADER, OPERATOR_HEADER } from '#contracts/plain/headers';
import { OUTAGE_CODE } from '#contracts/outage';
import { InternalAnswer, type InternalCommand } from '#contracts/api/internal';

/** The ledger will not, or cannot for a reason of this one command: the others are not concerned. */
export class LedgerDeclined extends Error {
  override readonly name = 'LedgerDeclined';

  /**
   * `isFinal`: it says no to the command itself, and will again. Otherwise it, or the provider, stumbled over
   * it. `sentence` is what it says to people.
   */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly sentence?: string,
  ) {
    super(message);
  }
}

/** The ledger, or what it needs, is away: no use in asking on. The same command may be sent again. */
export class LedgerAway extends Error {
  override readonly name = 'LedgerAway';
  /** No ledger answered, or one whose stores are away: that says nothing of what was asked, and is no try of it. */
  readonly isOutage: boolean;
  /** What the ledger says to people; undefined where none answered. */
  readonly sentence: string | undefined;

  constructor(
    message: string,
    {
      isOutage = false,
      sentence,
      ...options
    }: ErrorOptions & { isOutage?: boolean; sentence?: string | undefined } = {},
  ) {
    super(message, options);
    this.isOutage = isOutage;
    this.sentence = sentence;
  }
}

/**
 * A stretch of reconciliation reads every payment in it at the provider. `fetch` itself waits no longer than
 * five minutes.
 */
const TIMEOUT_MS = 290_000;
const READY_WITHIN_MS = 5_000;

const WRONG_TOKEN =
  'The ledger does not take this ENCORE_INTERNAL_TOKEN: it must be the one that the ledgers were started with.';
const codeOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
const sentenceOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
    ? body.message
    : undefined;

export class LedgerClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
    /** Who asks, where that is a person and not a worker. */
    private readonly operator?: string,
  ) {}

  /** Throws {@link LedgerDeclined} and {@link LedgerAway}. */
  async ask(command: InternalCommand, correlationId: string): Promise<InternalAnswer> {
    const answer = await this.#post(command, correlationId);
    const body: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) {
      const { data, error } = InternalAnswer.safeParse(body);
      if (data !== undefined) return data;
      // Cut off on its way, or somebody else's answer: a try of this one command, which keeps no other waiting.
      throw new LedgerAway(`${command.type} got an answer that cannot be read.`, { cause: error });
    }
    const sentence = answer.status === 401 ? WRONG_TOKEN : sentenceOf(body);
    const why = `${command.type} was answered ${answer.status}: ${JSON.stringify(body)}`;
    // A token that is being changed says nothing of the command either.
    throw answer.status === 503 || answer.status === 401
      ? new LedgerAway(why, { isOutage: codeOf(body) === OUTAGE_CODE, sentence })
      : new LedgerDeclined(why, answer.status < 500, sentence);
  }

  /** Whether the ledger takes commands, as far as it says; throws where none answers. */
  async areWritesOpen(): Promise<boolean> {
    const answer = await fetch(new URL('/readyz', this.url), {
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    });
    const body: unknown = await answer.json();
    const isClosed =
      typeof body === 'object' && body !== null && 'writes' in body && body.writes === 'closed';
    // A ledger of an earlier build does not know the question.
    return answer.status !== 503 && !isClosed;
  }

  async #post(command: InternalCommand, correlationId: string): Promise<Response> {
    try {
      return await fetch(new URL('/internal/commands', this.url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${this.token}`,
          [CORRELATION_HEADER]: correlationId,
          ...(this.operator === undefined ? {} : { [OPERATOR_HEADER]: this.operator }),
        },
        body: JSON.stringify(command),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const isOutage = !(error instanceof DOMException && error.name === 'TimeoutError');
      throw new LedgerAway(`No ledger answers at ${this.url}.`, { cause: error, isOutage });
    }
  }
}
