/**
 * Streams beside the journal that say who somebody is and what is theirs: a user, a handle, a guest, a
 * customer at the card provider is one person's, and changed by nobody else. No money moves by them, but who
 * is paid, and by whose card, is found by what they say.
 */
import { GUEST_PREFIX } from '#contracts/events/guest';
import { HANDLE_PREFIX } from '#contracts/events/handle';
import { USER_PREFIX } from '#contracts/events/user';
import type { RecordedEvent } from '#contracts/log';
import { Column, IdTable, Names } from '../flat/id-table.js';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

export class People implements Relation {
  readonly #users = new Names();
  readonly #registered = new IdTable();
  /** People at the identity provider: each is one user. */
  readonly #identities = new IdTable();
  readonly #forgotten = new Set<string>();
  readonly #handles = new IdTable();
  /** The claimant's number + 1. */
  readonly #claimant = new Column(Uint32Array);
  /** Customers at the card provider, to whom saved cards belong. */
  readonly #customers = new IdTable();
  /** The customer's number as a user + 1. */
  readonly #customer = new Column(Uint32Array);
  readonly #claimedGuests = new Set<string>();
  readonly #findings: string[] = [];

  other(event: RecordedEvent): void {
    const wrong = [...this.#wrong(event), ...this.#byAnother(event)];
    if (wrong.length > 0) this.#findings.push(`${whereOf(event)}: ${event.type}: ${wrong.join('; ')}`);
  }

  entry(entry: JournalEntry): void {
    if (entry.type !== 'PaymentOpened' || !entry.data.savedCard || isRecovered(entry)) return;
    const { payerId, savedCard } = entry.data;
    const row = this.#customers.find(savedCard.customerId);
    const owner = row < 0 ? 'nobody' : this.#users.nameOf(this.#customer.get(row) - 1);
    if (owner !== payerId)
      this.#findings.push(
        `${whereOf(entry)}: ${entry.type}: it charges a card of ${savedCard.customerId}, who is ${owner}, and not ${payerId}`,
      );
  }

  check(): Check {
    return {
      name: 'people, handles and cards fit',
      figure: `${this.#registered.size} people, ${this.#handles.size} handles`,
      findings: this.#findings,
    };
  }

  #wrong(event: RecordedEvent): readonly string[] {
    switch (event.type) {
      case 'UserRegistered':
        return this.#register(event.data);
      case 'ProfileChanged':
        return this.#forgotten.has(event.data.userId) ? [`${event.data.userId} was forgotten before`] : [];
      case 'UserForgotten':
        this.#forgotten.add(event.data.userId);
        return [];
      case 'HandleClaimed':
        return this.#claim(event.data);
      case 'TipPageHandleChosen': {
        const row = this.#handles.find(event.data.handleKey);
        if (row < 0) return [`nobody claimed the handle ${event.data.handleKey}`];
        return differing('userId', event.data.userId, this.#users.nameOf(this.#claimant.get(row) - 1));
      }
      case 'CardCustomerOpened': {
        return this.#openCustomer(event.data);
      }
      case 'GuestTipsClaimed': {
        const { guestId } = event.data;
        const again = this.#claimedGuests.has(guestId);
        this.#claimedGuests.add(guestId);
        return again ? [`what ${guestId} paid was claimed before`] : [];
      }
      default:
        return [];
    }
  }

  #register({
    userId,
    issuer,
    subject,
  }: Extract<RecordedEvent, { type: 'UserRegistered' }>['data']): string[] {
    const [people, identities] = [this.#registered.size, this.#identities.size];
    this.#registered.row(userId);
    this.#identities.row(JSON.stringify([issuer, subject]));
    return [
      ...(this.#registered.size > people ? [] : [`${userId} registered before`]),
      ...(this.#identities.size > identities
        ? []
        : ['the identity provider’s person is another user already']),
    ];
  }

  #claim({
    handleKey,
    userId,
  }: Extract<RecordedEvent, { type: 'HandleClaimed' }>['data']): readonly string[] {
    const before = this.#handles.size;
    const row = this.#handles.row(handleKey);
    if (this.#handles.size === before)
      return [`it was claimed before, by ${this.#users.nameOf(this.#claimant.get(row) - 1)}`];
    this.#claimant.set(row, this.#users.numberOf(userId) + 1);
    return [];
  }

  /** Whose cards they are: a second owner could charge them under a name of their own. */
  #openCustomer({
    customerId,
    userId,
  }: Extract<RecordedEvent, { type: 'CardCustomerOpened' }>['data']): readonly string[] {
    const before = this.#customers.size;
    const row = this.#customers.row(customerId);
    const user = this.#users.numberOf(userId) + 1;
    if (this.#customers.size === before && this.#customer.get(row) !== user)
      return [`customer ${customerId} is ${this.#users.nameOf(this.#customer.get(row) - 1)}’s already`];
    this.#customer.set(row, user);
    return [];
  }

  /** What is a person's own is changed by them, or by nobody: by time, a worker or an operator. */
  #byAnother({ stream, data, metadata }: RecordedEvent): readonly string[] {
    const { actorId } = metadata;
    if (actorId === undefined || !('userId' in data) || actorId === data.userId) return [];
    const isOwn = stream.endsWith(data.userId) && !stream.startsWith(USER_PREFIX);
    return isOwn || stream.startsWith(HANDLE_PREFIX) || stream.startsWith(GUEST_PREFIX)
      ? [`it is ${data.userId}’s to do and was done by ${actorId}`]
      : [];
  }
}
