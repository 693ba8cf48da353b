/**
 * The pages of docs/reference that are made from the code: settings from their tables, events from their
 * schemas and the comments above them. `write.ts` writes them; a spec fails while what is checked in differs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SETTINGS } from '#contracts/configuration';
import { aboutTime, LIMIT_NAMES, LIMITS, withinMsOf, type CountedIn } from '#contracts/limits';
import { versionOf, type DomainEventType } from '#contracts/events/index';
import { cardsEvents } from '#contracts/events/cards';
import { journalEvents } from '#contracts/events/journal';
import { occurrenceEvents } from '#contracts/events/occurrence';
import { scheduledPaymentEvents } from '#contracts/events/schedule';
import { bankAccountEvents } from '#contracts/events/bank-account';
import { accountRecoveryEvents } from '#contracts/events/account-recovery';
import { passkeyEvents } from '#contracts/events/passkeys';
import { quarantineEvents } from '#contracts/events/quarantine';
import { payerEvents } from '#contracts/events/payer';
import { payoutProcessEvents } from '#contracts/events/payout-process';
import { settingsEvents } from '#contracts/events/settings';
import { thanksEvents } from '#contracts/events/thanks';
import { guestEvents } from '#contracts/events/guest';
import { handleEvents } from '#contracts/events/handle';
import { tipPageEvents } from '#contracts/events/tip-page';
import { subscriptionEvents } from '#contracts/events/subscription';
import { userEvents } from '#contracts/events/user';
import { repositoryRoot } from '#local/launch/program';
import { LOCAL_SETTINGS } from '#local/settings';
import { postingsPage } from './postings-page.js';
import { ASVS, DECISIONS, type Evidence } from './asvs.js';
import { SPECIFICATION, type SpecificationPromise } from './promises.js';
import { allTests, sightingsOf, type TestFound } from './sightings.js';

const MADE = 'This page is made from the code: `npm run build && node dist/test/docs/write.js`.';

/** Every page that is made, by its path in the repository. */
export const madePages = (): Readonly<Record<string, string>> => ({
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/limits.md': limitsPage(),
  'docs/reference/events.md': eventsPage(),
  'docs/reference/spec-texts.md': specTextsPage(),
  'docs/reference/asvs.md': asvsPage(),
  'docs/reference/postings.md': postingsPage(MADE),
});

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** What a setting is when nobody sets it. */
function unset(schema: z.ZodType): string {
  const result = schema.safeParse(undefined);
  if (!result.success) return 'must be set';
  if (typeof result.data === 'object') return '';
  return result.data === undefined ? '' : `\`${String(result.data)}\``;
}

function settingsPage(): string {
  const app = Object.entries(SETTINGS).map(([name, setting]) =>
    row(`\`${name}\``, setting.what, unset(setting.schema), 'secret' in setting ? 'yes' : ''),
  );
  const local = Object.entries(LOCAL_SETTINGS).map(([name, { what, unset: value }]) =>
    row(`\`${name}\``, what, `\`${value}\``),
  );
  return `# Settings

${MADE}

Settings come from the environment. Each process reads those that it needs and checks them when it starts; a missing or
wrong one ends it with one sentence. Any of them may be given as a file: \`X_FILE\` names a file that holds the value of \`X\`.
That is meant for secrets. Where both are set, \`X\` goes before its file. An empty value, or an empty file, counts as none. A secret's value is never printed.

## The application

${row('setting', 'what it is', 'when unset', 'secret')}
${row('---', '---', '---', '---')}
${app.join('\n')}

## \`make start\`

${row('setting', 'what it is', 'when unset')}
${row('---', '---', '---')}
${local.join('\n')}

\`make start\` makes up the secrets once and keeps them in the data folder, picks the inner ports and keeps them too. A
service whose URL is set is not started here: \`EVENTSTORE_URL\`, \`DATABASE_URL\`, \`REDIS_URL\`, \`OIDC_ISSUER\`, and for the
card provider \`STRIPE_SECRET_KEY\` or \`STRIPE_API_URL\`.
`;
}

const COUNTED: Readonly<Record<CountedIn, string>> = {
  requests: 'Requests, counted in Redis',
  declines: 'Declined payments, counted in Redis (those of one payment in the log)',
  log: 'Money, wallets and schedules, counted from the log',
};

function limitsPage(): string {
  const tables = (Object.keys(COUNTED) as CountedIn[]).map((where) => {
    const rows = LIMIT_NAMES.filter((name) => LIMITS[name].countedIn === where).map((name) => {
      const { what, most } = LIMITS[name];
      const withinMs = withinMsOf(name);
      const within = withinMs === undefined ? 'at any time' : `in ${aboutTime(withinMs)}`;
      return row(`\`${name}\``, what, most.toLocaleString('en-US'), within);
    });
    return `## ${COUNTED[where]}

${row('limit', 'of what', 'at most', '')}
${row('---', '---', '---:', '---')}
${rows.join('\n')}`;
  });
  return `# Limits

${MADE}

What each is for: [limits](../explanation/limits.md). The setting \`LIMITS\` changes the numbers, by name:
\`LIMITS="wallets=40 look-up-user=10"\`. Outside of production one may also be switched off: \`wallets=off\`. A limit refuses
what is new; what the log holds already stays valid.

${tables.join('\n\n')}
`;
}

/** What a field says, wherever it stands. */
const FIELDS: Readonly<Record<string, string>> = {
  thanks: 'which of the fixed answers was sent',
  eventId: 'the id of the event that is taken out',
  revision: 'its revision there',
  stream: 'the stream of the event that is taken out',
  month: 'the month of the books, such as `2026-11`',
  timeZone: 'the time zone in which the books’ months begin and end; in the founding, absent is UTC',
  throughRevision: 'the last entry recorded before the month’s end; -1 where there was none',
  entryCount: 'how many entries were recorded in the month',
  totals: 'the balances at the month’s end, credits less debits, by kind of account and currency',
  balancesHash:
    'SHA-256, as base64url, of a line `account balance` (minor units) for each account that was not at zero, in byte order of the accounts',
  treeSize: 'how many events the log’s tree had when it was signed last',
  root: 'the root of that tree',
  account: 'the account, such as `user/{id}/available` or `wallet/{id}`',
  accountType: 'what kind of bank account it is',
  againFrom: 'from when on its owner may begin another one',
  afterCompletion: 'whether it had been completed before',
  amountMinor: 'the sum, in minor units (cents)',
  asked: 'whether the payer asked for this attempt; left out where it was made by itself',
  at: 'when it was decided, by the clock that schedules are judged by',
  arrivesOn: 'the day on which the provider expects it at the bank; absent where it did not say',
  availableOn: 'from when on the money of the charge can be used; null where the provider did not say',
  attempt: 'which attempt, from 1',
  attemptId: 'the provider’s id of the attempt',
  balanceTransactionId: 'the provider’s balance transaction',
  because:
    'why, in an operator’s words: where it is of a user sealed with their key, and absent for one who is forgotten',
  itemId:
    'what the unclaimed money is known by: the payout, the refund or the balance transaction that brought it',
  providerType: 'the type that the provider gives the balance transaction',
  reference: 'where the payment can be looked up',
  feeReturned: '`true` where the provider gave the fee back instead of taking it',
  sourceId: 'the provider’s object that caused it, where there is one',
  bankAccountId: 'the bank account; derived from the request’s idempotency key',
  begunAt: 'when it was begun, by the ledger’s clock',
  chargeId: 'the provider’s charge: the proof of the money',
  charged: 'what the attempt was to be paid from: `{ from, cardId }`; older events do not say',
  code: 'the provider’s code for why',
  commonHash: 'the chain hash of the last entry that both histories have',
  commonRevision: 'the last entry of the journal that both histories have; -1 for none',
  completableFrom: 'when its wait is over',
  completedAt: 'when it was completed, by the clock that schedules are judged by',
  confirmBy: 'until when the payer may confirm',
  connectAccountId: 'the provider’s id of the user’s account there',
  count: 'how many due times',
  credential: 'public key, name and kind of a passkey as one JSON text, sealed with the user’s key',
  currency: 'three letters, lower case',
  customerId: 'the card provider’s id of the user',
  cardId: 'the saved card, by the provider’s id',
  delayedAt: 'when it was put off, by the ledger’s clock',
  description: 'what its owner wrote about it, sealed with their key',
  details:
    'names of holder and bank and the last digits of the numbers as one JSON text, sealed with the user’s key',
  displayName: 'what its owner calls it, sealed with their key',
  disputedMinor:
    'the part that a dispute took as well, in minor units: the platform’s cost where the refund went out, the platform’s again where it failed',
  disputeId: 'the provider’s id of the dispute',
  dueAt: 'when it is due',
  endedAt: 'when it ended, by the clock that schedules are judged by',
  externalAccountId: 'the provider’s id of the bank account',
  feeCurrency: 'the currency of the fee',
  feeMinor: 'the fee, in minor units; the platform bears it',
  fingerprint: 'keyed digest of the request: the same idempotency key with another body is refused',
  firstDueAt: 'the first due time',
  frequency: 'how often',
  intentId: 'the provider’s id of the payment',
  issuer: 'the lasting name of the identity provider',
  lapsesAt: 'when it is over, where nobody has completed it by then',
  lastDueAt: 'the last due time',
  method: 'how it is paid',
  movementId: 'the movement; derived from the request’s idempotency key',
  newAddressAt: 'when the address that mails went to became another one; absent where it is as before',
  nextDueAt: 'the first due time that is now neither claimed nor skipped',
  netMinor: 'what the provider’s fee left of the charge, in minor units; null where the provider did not say',
  exactKey: 'a digest of the handle, letter for letter',
  guestId: 'the guest; derived from the receipt link that their browser drew',
  guestName: 'how a guest calls themselves, sealed with the guest’s key',
  handle: 'the handle, sealed with its owner’s key',
  handleKey: 'a digest of how the handle looks: the same for all that could be taken for it',
  isListed: 'whether search engines may list the page',
  words: 'stage name and what stands under it as one JSON text, sealed with the user’s key',
  note: 'what the payer wrote, sealed with the payer’s key',
  numberFingerprint:
    'HMAC of the numbers under the user’s key: the same account is known again, and nothing else is',
  occurredAt: 'when it happened, by the provider’s clock',
  occurrence: 'what of a schedule it collects: `{ occurrenceId, kind, scheduleId, dueAt, attempt }`',
  occurrenceId: 'the occurrence; derived from the schedule and the due time',
  drawn:
    'what of it waited unclaimed for this user, whose account is closed, and is taken from there: `{ itemId, amountMinor }` of each, the oldest first; absent where nothing waited, and in entries of before, of which the platform bore all',
  originalMinor: 'the payment’s sum, in minor units',
  paidBy: 'by a transfer of balance, or by the saved card',
  passkeyId: 'the passkey; derived from the random id that its authenticator gave it',
  payerId: 'the user who pays',
  lostHash: 'the chain hash of the furthest entry of the lost history that anybody knew',
  lostRevision: 'the revision of that entry',
  mode: '`test` keys or `live` ones',
  ownerMinor: 'the part that is its owner’s again, in minor units',
  paymentId: 'the payment; derived from the request’s idempotency key',
  payoutId: 'the payout; derived from the request’s idempotency key',
  platformMinor: 'the part that the platform bears',
  postings: 'legs of `{ debit, credit, amountMinor }`',
  profile: 'names, e-mail address and picture as one JSON text, sealed with the user’s key',
  providerAccountId: 'the card provider’s id of the account that the ledger keeps its books over',
  providerPayoutId: 'the provider’s id of the payout',
  providerTransferId: 'the provider’s id of the transfer to the connected account',
  reason: 'why',
  recoveryId: 'the recovery',
  refusalToken: 'what the link in the mail holds that refuses it, sealed with the user’s key',
  refusedAt: 'when it was refused, by the same clock',
  refusedBy: 'with what it was refused',
  requestedAt: 'when it was asked for, by the clock that schedules are judged by',
  source:
    'what pays: `{ from }`, and of a card `{ from, card, cardId }`, the provider’s ids and how its owner is shown it',
  startedAt: 'when it was begun, by the clock that schedules are judged by',
  startedBy: 'who began it',
  signedInAt: 'when the identity provider says that the owner signed in there; null where nobody has yet',
  recipientId: 'the user who is paid',
  madeUpMinor:
    'the part that makes up for what was written off after the money had been taken, in minor units',
  madeUpSince:
    'the entry since which that money had been gone: of what was written off later, the oldest is made up for first; absent in entries of before, which made up for the newest first',
  recipientMinor: 'the part that the recipient bears',
  refundedMinor: 'how much of the payment is refunded after this entry, in minor units',
  refundId: 'the provider’s id of the refund',
  requestFingerprint: 'HMAC of the request’s body under the user’s key',
  retryAt: 'when the next attempt is made',
  reversalId: 'the provider’s id of the transfer’s reversal',
  unproven: 'true for what its payer paid by a saved card or out of the balance without a proof',
  savedCard: 'a card that the provider keeps: `{ customerId, paymentMethodId }`, its ids',
  scheduleId: 'the subscription or scheduled payment',
  scheduleKind: 'which of the two',
  setting: 'which preference',
  step: 'what was asked of the provider',
  subject: 'the identity provider’s id of the person',
  submittedAt: 'when it was asked for, by the ledger’s clock',
  subscriptionId: 'the subscription; derived from the request’s idempotency key',
  transactionId: 'the journal’s transfer or payment',
  transferId: 'the transfer; derived from the request’s idempotency key',
  unappliedMinor: 'the part that is taken from unapplied money, or held again',
  userId: 'the user',
  walletId: 'the wallet; derived from the request’s idempotency key',
  why: 'why nothing was collected, or nobody forgotten',
  writtenOffMinor: 'what the user owed, in minor units: the platform’s loss',
};

const Shape = z.object({
  properties: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      enum: z.array(z.string()).optional(),
      anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
    }),
  ),
  required: z.array(z.string()).default([]),
});

/**
 * The comment above an event in its source. Throws when there is none: an event without a meaning is not
 * finished.
 */
function meaningOf(type: string, source: string): string {
  const [before = ''] = source.split(`\n  ${type}: `);
  const comment = /\/\*\*((?:(?!\*\/)[^])*)\*\/$/.exec(before)?.[1];
  if (!comment) throw new Error(`${type} has no comment above it.`);
  return comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
}

function eventSection(eventType: DomainEventType, schema: z.ZodType, source: string): string {
  const { properties, required } = Shape.parse(z.toJSONSchema(schema));
  const fields = Object.entries(properties).map(([name, { type, anyOf, enum: options }]) => {
    const kind = type ?? anyOf?.map((each) => each.type ?? 'text').join(' or ') ?? 'text';
    const meaning = FIELDS[name];
    if (meaning === undefined)
      throw new Error(`Say in FIELDS of test/docs/reference.ts what the field ${name} of ${eventType} is.`);
    const shape = options ? options.map((option) => `\`${option}\``).join(', ') : kind;
    return row(`\`${name}\``, `${shape}${required.includes(name) ? '' : ', optional'}`, meaning);
  });
  return `### ${eventType}

${meaningOf(eventType, source)} Version ${versionOf(eventType)}.

${row('field', 'type', 'meaning')}
${row('---', '---', '---')}
${fields.join('\n')}
`;
}

function eventsPage(): string {
  const sections = (events: Readonly<Record<string, z.ZodType>>, file: string): string => {
    const source = readFileSync(join(repositoryRoot(), file), 'utf8');
    return Object.entries(events)
      .map(([type, schema]) => eventSection(type as DomainEventType, schema, source))
      .join('\n');
  };
  return `# Events

${MADE}

Every event that the log may hold. Amounts are whole numbers of minor units. A text that begins with \`sealed:\` opens only
with its owner's data key. Beside its data each event carries metadata: \`version\`, \`recordedAt\`, \`correlationId\`, where they
apply \`causationId\`, \`actorId\`, \`key\` and \`fingerprint\`, and last the \`hash\` of [the chain](hash-chain.md).

## Stream \`journal\`

One event is one journal entry. \`postings\` stand where money moved.

${sections(journalEvents, 'contracts/events/journal.ts')}
## Streams \`user-{id}\`

${sections(userEvents, 'contracts/events/user.ts')}
## Streams \`settings-{id}\`

${sections(settingsEvents, 'contracts/events/settings.ts')}
## Streams \`subscription-{id}\`

A subscription's own events, and those of its occurrences.

${sections(subscriptionEvents, 'contracts/events/subscription.ts')}
## Streams \`scheduled-payment-{id}\`

A scheduled payment's own events, and those of its one occurrence.

${sections(scheduledPaymentEvents, 'contracts/events/schedule.ts')}
## Occurrences

In the streams of subscriptions and scheduled payments alike: [how they are collected](../explanation/schedules.md).

${sections(occurrenceEvents, 'contracts/events/occurrence.ts')}
## Streams \`cards-{id}\`

${sections(cardsEvents, 'contracts/events/cards.ts')}
## Streams \`bank-accounts-{userId}\`

No event holds a number of an account. What is shown of one is sealed.

${sections(bankAccountEvents, 'contracts/events/bank-account.ts')}
## Streams \`payout-{payoutId}\`

What was begun at the provider. The money is in \`journal\`.

${sections(payoutProcessEvents, 'contracts/events/payout-process.ts')}
## Streams \`handle-{handleKey}\`

${sections(handleEvents, 'contracts/events/handle.ts')}
## Streams \`tip-page-{userId}\`

${sections(tipPageEvents, 'contracts/events/tip-page.ts')}
## Streams \`guest-{guestId}\`

${sections(guestEvents, 'contracts/events/guest.ts')}
## Streams \`thanks-{paymentId}\`

${sections(thanksEvents, 'contracts/events/thanks.ts')}
## Streams \`payer-{userId}\`

${sections(payerEvents, 'contracts/events/payer.ts')}

## Streams \`passkeys-{userId}\`

${sections(passkeyEvents, 'contracts/events/passkeys.ts')}
## Streams \`account-recovery-{userId}\`

How somebody gets an account back whose passkeys they cannot use: [account recovery](../explanation/account-recovery.md).

${sections(accountRecoveryEvents, 'contracts/events/account-recovery.ts')}
## Stream \`encore-quarantine\`

What an operator took out of the other streams, but the journal: [the read side](../explanation/read-side.md).

${sections(quarantineEvents, 'contracts/events/quarantine.ts')}`;
}

/** What is promised, as a table's cell has it. */
function promiseInWords(promised: SpecificationPromise): string {
  if ('by' in promised) return promised.what;
  const words =
    promised.kind === 'text'
      ? `“${promised.text}”`
      : `**${promised.title}**${promised.sentence === undefined ? '' : ` “${promised.sentence}”`}`;
  return promised.where === undefined ? words : `${words} (${promised.where})`;
}

function specTextsPage(): string {
  const tests = allTests();
  const seenBy = (found: readonly TestFound[]): string =>
    found.map(({ file, path }) => `\`${file}\`: ${path}`).join('<br>') || '**no test**';
  const sections = SPECIFICATION.map(
    ({ title, promises }) => `## ${title}

${row('', 'what is promised', 'the test that sees it')}
${row('---', '---', '---')}
${promises.map((promised) => row(promised.kind, promiseInWords(promised), seenBy(sightingsOf(tests, promised)))).join('\n')}
`,
  );
  const all = SPECIFICATION.flatMap(({ promises }) => promises);
  const count = (kind: SpecificationPromise['kind']): number =>
    all.filter((each) => each.kind === kind).length;
  return `# What the specification promises, and the test that sees it

${MADE}

The product's specification says many things to the letter: ${count('text')} texts, ${count('toast')} toasts by title and sentence, ${count('delay')} delays and
${count('limit')} limits. They are written down in \`test/docs/promises.ts\`. \`test/docs/sightings.ts\` reads the sources of the suites for the test that
expects each: the first one is named here. \`test/docs/promises.spec.ts\` fails while one has none, and \`test/docs/docs.spec.ts\`
while this page is not what the suites say. A text in quotation marks is the whole of what is on the screen.

${sections.join('\n')}`;
}

/** A test is named by its file and its own words; a decision by the number under which it stands. */
function evidenceCell(evidence: Evidence): string {
  if (evidence.kind === 'test') return `\`${evidence.file}\`: ${evidence.title}`;
  if (evidence.kind === 'setting') return `setting \`${evidence.setting}\``;
  return `decision ${Object.keys(DECISIONS).indexOf(evidence.decision) + 1}`;
}

function asvsPage(): string {
  const lines = ASVS.map(({ number, level, holds, shownBy }) =>
    row(number, String(level), holds, shownBy.map(evidenceCell).join('; ')),
  );
  const decisions = Object.values(DECISIONS).map((text, n) => `${n + 1}. ${text}`);
  return `# The requirements of a security standard

${MADE}

OWASP's Application Security Verification Standard 5.0.0 (https://github.com/OWASP/ASVS/tree/v5.0.0), levels 1 and 2, by
number. What holds is said in our words; the standard's are in the standard. Each line names what shows it: a test, a setting, or
a decision that the code cannot take. A suite fails while a number, a test or a setting is missing.

## Decisions of others

${decisions.join('\n')}

## The requirements

${row('number', 'level', 'what holds', 'shown by')}
${row('---', '---', '---', '---')}
${lines.join('\n')}
`;
}
