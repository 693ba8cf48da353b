/**
 * The requirements of OWASP's Application Security Verification Standard 5.0.0, levels 1 and 2, by number,
 * and what shows that Encore meets each: a test, a setting, or a decision that is somebody else's. The
 * standard's own words are not repeated here; the middle column says in ours what holds. `reference.ts`
 * writes the page, and a spec fails while a number is missing, a test is not there or a setting is unknown.
 * https://github.com/OWASP/ASVS/tree/v5.0.0
 */
import type { SettingKey } from '#contracts/configuration';

/** A test by its file and its own title. */
interface SeenBy {
  readonly kind: 'test';
  readonly file: string;
  readonly title: string;
}
export type Evidence =
  | SeenBy
  | { readonly kind: 'setting'; readonly setting: SettingKey }
  /** Not ours to decide: whose it is, and why, stands once in {@link DECISIONS}. */
  | { readonly kind: 'decision'; readonly decision: keyof typeof DECISIONS };

interface Requirement {
  readonly number: string;
  readonly level: 1 | 2;
  /** What holds, in our words. */
  readonly holds: string;
  readonly shownBy: readonly Evidence[];
}

/** Decisions that the code cannot take, and who takes them. At most fifteen: a spec counts. */
export const DECISIONS = {
  provider:
    'Passwords, their rules, resets and second factors, and the authorisation server’s own rules, are the identity provider’s: whoever runs the service chooses it (`OIDC_ISSUER`), and production says how strong its sign-ins must be.',
  certificates:
    'The certificate of the public address, and the protocols and ciphers of the proxy in front: whoever runs the service sets them at the proxy (docs/how-to/deploy.md).',
  antivirus:
    'Uploaded pictures are decoded and encoded anew instead of being scanned, so that no byte of the file is served: the product’s owner decides whether a scanner stands in front.',
  secrets:
    'Where secrets are kept before they are handed over as files (`X_FILE`): whoever runs the service chooses the store for secrets.',
  outbound:
    'Which addresses the machines may reach: whoever runs the network; docs/reference/security.md lists what is needed.',
  logs: 'Where logs are sent and who may read them there: whoever runs the service; processes write lines to standard output only.',
  clocks: 'That the machines’ clocks agree: whoever runs them; the ledger says when its own goes back.',
  updates:
    'That packages are brought up to date within the times of docs/reference/security.md: the product’s owner.',
} as const satisfies Readonly<Record<string, string>>;

const t = (file: string, title: string): Evidence => ({ kind: 'test', file, title });
const s = (setting: SettingKey): Evidence => ({ kind: 'setting', setting });
const d = (decision: keyof typeof DECISIONS): Evidence => ({ kind: 'decision', decision });

const ABSENT = 'test/absent.spec.ts';
const BAD = 'test/e2e/bad-input.e2e.spec.ts';
const AUTH = 'test/e2e/authorisation.e2e.spec.ts';
const SECRECY = 'test/e2e/secrecy.e2e.spec.ts';
const SERVER = 'ledger/server.spec.ts';
const RULES = 'ledger/http/rules.spec.ts';
const PAGES = 'ledger/http/pages.int.spec.ts';
const IDENTITY = 'ledger/identity/identity.spec.ts';
const LOCAL_IDENTITY = 'test/conformance/identity.int.spec.ts';
const PASSKEYS = 'test/e2e/passkeys.e2e.spec.ts';
const VAULT = 'log/vault.int.spec.ts';
const PRODUCTION = 'processes/shell/production.spec.ts';
const LAW = 'test/architecture.spec.ts';
const INVENTORY = 'test/docs/security.spec.ts';
const HISTORIES = 'ledger/journal/histories.spec.ts';
const CHECKS = 'test/checks.spec.ts';

const LOCAL_CODE = t(
  LOCAL_IDENTITY,
  'takes a code once, with its verifier, and sends nobody to an address that is not the app',
);
const LOCAL_PASSWORD = t(
  'local/stand-ins/identity/form-values.spec.ts',
  'counts characters of a password, not bytes, and keeps its blanks',
);
const CHAIN_HASH = t(
  'log/chain.spec.ts',
  'is the SHA-256 of the previous hash and of six texts, each after its length in four bytes',
);
const NO_PACKAGE = t(ABSENT, 'have no %s');
const NO_BEARER = t(ABSENT, 'takes a token from a request’s header in two places, and for no person');
const OWN_PICTURE = 'test/e2e/pictures.e2e.spec.ts';
const NO_CODE = t(ABSENT, 'never %s');
const TEXT_IS_TEXT = t(BAD, 'a note that looks like a script is text');
const BODY_REFUSED = t(BAD, 'is refused when the body is %s');
const SCHEMAS = t('ledger/http/api-description.spec.ts', 'is made from the schemas that validate');
const OTHERS_404 = t(AUTH, '%s changes nothing of the first one’s');
const EVERY_CALL = t(AUTH, 'has a line for every call that the API description knows, and for no other');
const OTHERS_HIDDEN = t(SECRECY, 'is in an answer to anybody but its owner');
const SEALED = t(VAULT, 'does not open what was sealed for somebody else, or what was changed');
const OTHER_SITE = t(SERVER, 'another site makes nobody pay');

const WIRE = t(SERVER, 'is refused in our words: %s');
const NAMES = t('contracts/plain/names.spec.ts', 'loses %s');
const PICTURES = t('ledger/pictures/picture-drawing.spec.ts', 'is refused where it is %s');
const REMOTE = t(ABSENT, 'calls other servers in a few places, each at an address that a setting names');
const MAIL_TEXTS = t('ledger/messages/mail-text.spec.ts', 'is text in the HTML, whatever it says');
const MAIL_HEADERS = t(
  'ledger/messages/mail-text.spec.ts',
  'of %s has a subject without names, one text and the same as HTML',
);
const CSV = t(
  'web/src/features/history/history.test.ts',
  'does not let the note %j become a formula, whatever ends a cell where it is opened',
);
const SLOW = t('test/e2e/slow-sockets.e2e.spec.ts', 'at %s let a tip through, and are all cut');
/** docs/reference/limits.md is one of the pages that this holds to the code. */
const LIMITS_DOC = t(
  'test/docs/docs.spec.ts',
  '%s is what node dist/test/docs/write.js makes of the code now',
);
const LIMITS_LOG = t(
  'ledger/journal/wallet-rules.spec.ts',
  'is limited for each user, and closing one makes room',
);
const LIMITS_REQUESTS = t(
  'processes/ledger/shared-limits.int.spec.ts',
  'two ledgers let through together what one limit allows, and say how long to wait',
);
const PROOFS_RACED = t(
  'test/e2e/step-up.e2e.spec.ts',
  'fifty proofs, each shown for every other call, do nothing; raced and replayed, each has one effect',
);
const STEP_UP_TABLE = t(
  'ledger/http/api-description.spec.ts',
  'says of each call that changes something which proof it needs, or why none',
);
const FRESH = t(
  'test/e2e/step-up.e2e.spec.ts',
  'asks for the password again, although the provider knows who it is, and makes the session young',
);
const GUARD_CLOSED = t(
  'test/e2e/step-up.e2e.spec.ts',
  'while the event store is away a guarded call is refused, proof or not',
);
const WIRE_HEADERS = t(SERVER, 'every answer carries the page’s bounds: %s');
const POLICY_IN_BROWSER = t('test/browser/content-policy.browser.spec.ts', 'stops a %s from %s');
const HTTPS_ONLY = t(
  'ledger/http/rules.spec.ts',
  'is said to be of https alone for two years, subdomains too, and of nothing on plain http',
);
const COOKIE_FLAGS = t(
  'ledger/sessions/cookies.spec.ts',
  'is sent to us alone, with no call of another site, and no script reads it',
);
const COOKIE = t(
  'ledger/sessions/cookies.spec.ts',
  'on https is one that no other host of the domain can set',
);
const CSP = t(RULES, 'is a script or a style only by the nonce of its own answer, or from the provider');
const CLIENT_ADDRESS = t('edge/address.spec.ts', '%s is counted as %s');
const METRICS = t('edge/figures-access.spec.ts', 'are told to nobody else: %s');
const TOKENS = t('test/e2e/sessions.e2e.spec.ts', 'gets a token of its own, whatever the browser brought');
const NO_GUESS = t(ABSENT, 'never makes a value that can be guessed, but for how long to wait');
const ID_TOKEN = t('ledger/identity/id-token.int.spec.ts', 'is refused where it is one %s');
const ASSURANCE = t(
  'ledger/identity/assurance.spec.ts',
  'is refused in a sentence where the ID token says %j',
);
const BACK_CHANNEL = t(
  'test/e2e/sessions.e2e.spec.ts',
  'ends the sessions that began with it, and no others',
);
const BACK_CHANNEL_TOKENS = t('ledger/identity/logout-token.spec.ts', '%s is refused');
const SESSIONS_LIST = t(
  'test/e2e/sessions.e2e.spec.ts',
  'is listed to them with device and network, and nothing more of the browser is kept',
);
const SESSIONS_END = t(
  'test/e2e/sessions.e2e.spec.ts',
  'is not the only one: everywhere else goes at once, and this device stays',
);
const SESSIONS_OPERATOR = t('test/e2e/account-recovery.e2e.spec.ts', 'skips neither the wait nor a sign-in');
const SESSION_ENDS = t(
  'ledger/sessions/sessions.int.spec.ts',
  'ends after its longest time, however much it is used',
);
const FORGET_SESSIONS = t(
  'test/e2e/account-recovery.e2e.spec.ts',
  'is refused while money is left, and else forgotten when the wait is over',
);
const RECOVERY = t(
  'test/e2e/account-recovery.e2e.spec.ts',
  'gets back in after three days and two sign-ins, and the thief is out at once',
);
const RECOVERY_LINK = t(
  'test/e2e/account-recovery.e2e.spec.ts',
  'is stopped by the link in the mail, once, without a session',
);

const KEY_VERSIONS = t(
  'log/vault.int.spec.ts',
  'opens and compares as before, and what is new is under derived keys',
);
const PROXY_TLS = t(INVENTORY, 'takes nothing older than TLS 1.2 at the proxy');
const PRODUCTION_TLS = t(
  PRODUCTION,
  'stores on a network of their own may be without TLS, and so may those on this machine',
);
const ROLES = t('processes/roles.int.spec.ts', 'to the %s: %s');
const TRAIL = t(
  'ledger/security-trail/trail-table.int.spec.ts',
  'gives back by user, by act and in order what was written, once however often it is sent',
);
const TRAIL_REFUSALS = t(
  'ledger/security-trail/stored-trail.spec.ts',
  'counts refusals by the minute, in few lines, however many there are and from wherever',
);
const SIGN_OUT_CLEARS = t(
  'web/src/features/account/log-out.test.tsx',
  'nothing of names, amounts and notes stays in the browser',
);

type Row = readonly [number: string, level: 1 | 2, holds: string, ...shownBy: Evidence[]];

const ROWS: readonly Row[] = [
  // 1 Encoding and sanitization
  [
    '1.1.1',
    2,
    'bodies, paths and queries are decoded once, by the framework, and validated after',
    BODY_REFUSED,
    WIRE,
  ],
  [
    '1.1.2',
    2,
    'texts are escaped where they are written: by React, by the JSON writer, by the mail’s own writer',
    NO_CODE,
    MAIL_TEXTS,
  ],
  [
    '1.2.1',
    1,
    'what people write is shown as text, in pages, headers, CSV and mails',
    TEXT_IS_TEXT,
    MAIL_TEXTS,
    CSV,
  ],
  [
    '1.2.2',
    1,
    'a sign-in returns to paths of ours alone; links in pages lead to routes of ours',
    t(BAD, 'is never where a sign-in returns to: %j'),
  ],
  ['1.2.3', 1, 'no script and no JSON is put together from texts', NO_CODE],
  ['1.2.4', 1, 'SQL takes values as parameters', t(BAD, 'account is not found by %j')],
  ['1.2.5', 1, 'the app starts no program and no shell', NO_CODE],
  ['1.2.6', 2, 'there is no LDAP', NO_PACKAGE],
  ['1.2.7', 2, 'there is no XPath', NO_PACKAGE],
  ['1.2.8', 2, 'there is no LaTeX', NO_PACKAGE],
  [
    '1.2.9',
    2,
    'what people search for is compared as text, never read as a pattern',
    t(BAD, 'account is not found by %j'),
  ],
  ['1.3.1', 1, 'there is no editor of marked-up text: what looks like markup is text', TEXT_IS_TEXT],
  ['1.3.2', 1, 'no text is run as code', NO_CODE],
  [
    '1.3.3',
    2,
    'names, notes and descriptions have lengths and characters that schemas check; names are cleaned',
    SCHEMAS,
    NAMES,
  ],
  ['1.3.4', 2, 'a picture in SVG is refused: pictures are decoded and encoded anew', PICTURES],
  ['1.3.5', 2, 'there is no Markdown, no template language and no style of a user’s', NO_PACKAGE],
  ['1.3.6', 2, 'no address that a person gives is called: nothing remote is fetched', REMOTE],
  ['1.3.7', 2, 'there is no template language', NO_PACKAGE],
  ['1.3.8', 2, 'there is no JNDI', NO_PACKAGE],
  ['1.3.9', 2, 'there is no memcached', NO_PACKAGE],
  ['1.3.10', 2, 'no format string is taken from a person', NO_CODE],
  ['1.3.11', 2, 'names and addresses put no header into a mail', MAIL_HEADERS],
  [
    '1.4.1',
    2,
    'the code is JavaScript, without memory of its own',
    t(
      ABSENT,
      'keeps no memory by itself: nothing is compiled to the machine, and two buffers are written before they are read',
    ),
  ],
  [
    '1.4.2',
    2,
    'amounts are whole cents within limits, and sums are checked',
    t('contracts/plain/money.spec.ts', 'are whole and safe: %p is refused'),
    t(BAD, 'larger than any payment is refused'),
  ],
  [
    '1.4.3',
    2,
    'connections, streams and timers end with what they were for',
    t('ledger/events-out/outlet.spec.ts', 'is given up when nobody takes what it says'),
    SLOW,
  ],
  [
    '1.5.1',
    1,
    'the one XML that is read is a bank statement, by the audit’s command and never by a server: of 32 MiB at most, and refused with a document type or entities of its own',
    t('audit/reconcile/bank.spec.ts', 'is refused with %s'),
    t('audit/reconcile/bank.spec.ts', 'is refused where it is larger than 32 MiB'),
  ],
  ['1.5.2', 2, 'bodies are JSON and checked against schemas before they are used', SCHEMAS, NO_CODE],
  // 2 Validation and business logic
  ['2.1.1', 1, 'the API description, made from the schemas, says what each field takes', SCHEMAS],
  [
    '2.1.2',
    2,
    'what must fit together is said beside the schemas: routing numbers, dates, amounts and methods',
    SCHEMAS,
    t('contracts/api/bank-accounts.spec.ts', 'with one digit wrong never passes'),
  ],
  ['2.1.3', 2, 'limits are listed in one table, per person and for all', LIMITS_DOC],
  ['2.2.1', 1, 'each body is checked against its schema', BODY_REFUSED, SCHEMAS],
  ['2.2.2', 1, 'the server checks everything; the browser’s checks are a comfort', BODY_REFUSED],
  [
    '2.2.3',
    2,
    'combinations are decided by the ledger’s rules',
    t(HISTORIES, 'keep the trial balance at zero and agree with a small model of their own (seed %i)'),
  ],
  [
    '2.3.1',
    1,
    'a step that was not begun cannot be ended: each command is decided from what is in the log',
    t(HISTORIES, 'keep the trial balance at zero and agree with a small model of their own (seed %i)'),
    PROOFS_RACED,
  ],
  ['2.3.2', 2, 'limits of money, wallets and schedules are decided from the log', LIMITS_LOG],
  [
    '2.3.3',
    2,
    'an entry is appended whole or not at all; rows and checkpoint are committed together',
    t(
      'projections/engine/projector.int.spec.ts',
      'loses and doubles nothing when it dies between the rows and the checkpoint',
    ),
  ],
  [
    '2.3.4',
    2,
    'a balance is spent once, whoever asks at the same time, at any ledger',
    t('ledger/journal/occurrence-rules.spec.ts', 'twice at once, of two schedules, spends one balance once'),
    t('ledger/journal/journal.spec.ts', 'lose nothing and double nothing, whoever wins each append'),
  ],
  ['2.4.1', 2, 'requests are limited per route, person and address', LIMITS_REQUESTS],
  // 3 Web frontend security
  [
    '3.2.1',
    1,
    'answers say what they are and may not be guessed at; pictures are encoded by us',
    WIRE_HEADERS,
    PICTURES,
  ],
  ['3.2.2', 1, 'texts are put into pages as text', NO_CODE, TEXT_IS_TEXT],
  ['3.3.1', 1, 'on https the cookies are Secure and named __Host-', COOKIE, COOKIE_FLAGS],
  [
    '3.3.2',
    2,
    'cookies are SameSite=Lax, so that a link signs in and no other site sends a command',
    COOKIE_FLAGS,
    OTHER_SITE,
  ],
  ['3.3.3', 2, 'the session’s cookie is named __Host-', COOKIE],
  ['3.3.4', 2, 'the session’s token is in an HttpOnly cookie and nowhere else', COOKIE_FLAGS],
  ['3.4.1', 1, 'on https each answer says so for two years, subdomains too', HTTPS_ONLY],
  [
    '3.4.2',
    1,
    'no other origin may read what we answer: no CORS header is sent but for the typeface, which is public',
    WIRE_HEADERS,
  ],
  ['3.4.3', 2, 'a policy with nonces, without inline scripts and styles', CSP, POLICY_IN_BROWSER],
  ['3.4.4', 2, 'every answer carries nosniff', WIRE_HEADERS],
  ['3.4.5', 2, 'pages tell other sites their origin at most, never a path', WIRE_HEADERS],
  ['3.4.6', 2, 'nobody may frame a page of ours', WIRE_HEADERS],
  [
    '3.5.1',
    1,
    'commands are taken from pages of ours only: Origin and Sec-Fetch-Site are checked',
    OTHER_SITE,
    t(RULES, 'is taken from our own pages'),
  ],
  [
    '3.5.2',
    1,
    'a body must be JSON, which no form sends',
    t(BAD, 'as a form, which any site could send, is refused'),
  ],
  [
    '3.5.3',
    1,
    'no GET changes anything but a sign-in and a sign-out, which are navigations',
    t(AUTH, 'changes nothing: not the log, not the rows, nothing that its owner sees'),
    EVERY_CALL,
  ],
  [
    '3.5.4',
    2,
    'the operators’ board and the internal port are other ports than the app’s',
    t('ledger/http/internal-port.spec.ts', 'has nothing at %s'),
  ],
  ['3.5.5', 2, 'no page of ours listens to messages of other windows', NO_CODE],
  ['3.7.1', 2, 'pages use what today’s browsers have, and no plugin', NO_CODE],
  [
    '3.7.2',
    2,
    'redirects lead to paths of ours and to the identity provider',
    t(BAD, 'is never where a sign-in returns to: %j'),
  ],
  // 4 API and web service
  ['4.1.1', 1, 'every answer with a body names its type and charset', WIRE_HEADERS],
  ['4.1.2', 2, 'the proxy redirects pages to https; the API is not answered in the clear', d('certificates')],
  [
    '4.1.3',
    2,
    'headers of proxies are believed of the proxies that are named',
    s('TRUSTED_PROXIES'),
    CLIENT_ADDRESS,
  ],
  [
    '4.2.1',
    2,
    'messages with two lengths, or with a length and pieces, are refused',
    t(SERVER, 'ends its connection, and nothing behind it is read: %s'),
  ],
  ['4.3.1', 2, 'there is no GraphQL', NO_PACKAGE],
  ['4.3.2', 2, 'there is no GraphQL', NO_PACKAGE],
  [
    '4.4.1',
    1,
    'there is no WebSocket: what happens is told over an event stream of the same origin',
    NO_CODE,
  ],
  ['4.4.2', 2, 'there is no WebSocket', NO_CODE],
  ['4.4.3', 2, 'there is no WebSocket', NO_CODE],
  ['4.4.4', 2, 'there is no WebSocket', NO_CODE],
  // 5 File handling
  [
    '5.1.1',
    2,
    'pictures alone may be uploaded: types, size and what is made of them are written down',
    t(INVENTORY, 'says %s'),
  ],
  [
    '5.2.1',
    1,
    'a picture has 2 MB at most',
    t(OWN_PICTURE, 'is refused in a sentence where it is none, too large or sent as something else'),
  ],
  ['5.2.2', 1, 'a picture is what its content says, whatever it is called', PICTURES],
  [
    '5.2.3',
    2,
    'no archive is unpacked; a picture that would unfold beyond its limit of pixels is refused',
    t(
      'ledger/pictures/picture-drawing.spec.ts',
      'is refused where it would unfold into more than 50 million pixels, though it is a whole picture',
    ),
    NO_PACKAGE,
  ],
  [
    '5.3.1',
    1,
    'what is uploaded is data in Postgres, never a file',
    t(OWN_PICTURE, 'is shown to oneself, kept by the browser for good, and sealed where it lies'),
  ],
  [
    '5.3.2',
    1,
    'no path is made of what a person sends',
    t(PAGES, 'have nothing at %s, and do not pretend to'),
  ],
  [
    '5.4.1',
    2,
    'names of files are ours',
    t('test/e2e/passes.e2e.spec.ts', 'to pay somebody is a signed file of a fixed name'),
  ],
  [
    '5.4.2',
    2,
    'names of files are ours',
    t('test/e2e/passes.e2e.spec.ts', 'to pay somebody is a signed file of a fixed name'),
  ],
  [
    '5.4.3',
    2,
    'no byte of an uploaded file is served: it is encoded anew',
    t('ledger/pictures/picture-drawing.spec.ts', 'takes nothing along that stood behind it in the file'),
    d('antivirus'),
  ],
  // 6 Authentication
  ['6.1.1', 1, 'what holds against guessing is written down', LIMITS_DOC, d('provider')],
  ['6.1.2', 2, 'words that no password may hold', d('provider')],
  ['6.1.3', 2, 'there is one way in, the identity provider, and passkeys beside it', t(INVENTORY, 'says %s')],
  [
    '6.2.1',
    1,
    'passwords: 12 characters or more at the local provider',
    t(
      'local/stand-ins/identity/form-values.spec.ts',
      'takes a person with a first name, a username, an email address and a password of 12 characters',
    ),
    d('provider'),
  ],
  ['6.2.2', 1, 'a password can be changed', d('provider')],
  ['6.2.3', 1, 'a password is changed with the old one', d('provider')],
  ['6.2.4', 1, 'a usual password is refused', d('provider')],
  ['6.2.5', 1, 'a password may hold any characters', LOCAL_PASSWORD, d('provider')],
  [
    '6.2.6',
    1,
    'a password is hidden while it is written',
    t(
      'test/e2e/sign-in-pages.e2e.spec.ts',
      'show and hide the password by a button, which says whether it is pressed',
    ),
    d('provider'),
  ],
  [
    '6.2.7',
    1,
    'passwords may be pasted, and filled in by a manager',
    t('test/e2e/sign-in-pages.e2e.spec.ts', 'work without JavaScript, and hide the buttons that need it'),
    d('provider'),
  ],
  ['6.2.8', 1, 'a password is compared as it was written', LOCAL_PASSWORD, d('provider')],
  ['6.2.9', 2, 'a password may have 64 characters', d('provider')],
  ['6.2.10', 2, 'no password ends by its age', d('provider')],
  ['6.2.11', 2, 'a password that names the service is refused', d('provider')],
  ['6.2.12', 2, 'a password that was lost elsewhere is refused', d('provider')],
  ['6.3.1', 1, 'nobody guesses for long', t(LOCAL_IDENTITY, 'lets nobody guess for long'), d('provider')],
  [
    '6.3.2',
    1,
    'there is no account that nobody made',
    t(PRODUCTION, '%j is refused by name, in one sentence that says what to do'),
  ],
  [
    '6.3.3',
    2,
    'production wants sign-ins of a strength that is set, and what moves money asks for a passkey besides',
    s('OIDC_ACR_VALUES'),
    s('OIDC_AMR_REQUIRED'),
    STEP_UP_TABLE,
  ],
  ['6.3.4', 2, 'there is one way in', t(AUTH, '%s is 401 and changes nothing'), NO_BEARER],
  ['6.4.1', 1, 'no password and no code is made for anybody', d('provider')],
  ['6.4.2', 1, 'nobody is asked for their mother’s name', d('provider')],
  ['6.4.3', 2, 'a forgotten password goes round no passkey', d('provider'), STEP_UP_TABLE],
  [
    '6.4.4',
    2,
    'who has lost their passkeys gets back in by two sign-ins and 72 hours, told to all concerned',
    RECOVERY,
  ],
  [
    '6.5.1',
    2,
    'a challenge, a proof and the link that refuses a recovery are good for once',
    t(PASSKEYS, 'is enrolled once, with a challenge that is good for once'),
    RECOVERY_LINK,
  ],
  ['6.5.2', 2, 'what is kept of such a value is its hash, and it has 256 bits', TOKENS],
  ['6.5.3', 2, 'such values are random', NO_GUESS],
  ['6.5.4', 2, 'such values have 256 bits', TOKENS],
  [
    '6.5.5',
    2,
    'a challenge ends after minutes',
    t(PASSKEYS, 'a proof is worth nothing after its time, or once its session has ended'),
  ],
  ['6.6.1', 2, 'no code is sent by telephone', NO_PACKAGE],
  ['6.6.2', 2, 'a proof fits the one request that it was asked for', PROOFS_RACED],
  ['6.6.3', 2, 'no short code is asked for', NO_PACKAGE],
  [
    '6.8.1',
    2,
    'a person is who their provider says, by issuer and subject',
    t(IDENTITY, 'differs between people, providers, and where the one ends and the other begins'),
  ],
  ['6.8.2', 2, 'an ID token’s signature is checked', ID_TOKEN],
  ['6.8.3', 2, 'there is no SAML', NO_PACKAGE],
  ['6.8.4', 2, 'strength and age of a sign-in are read from the ID token', ASSURANCE, FRESH],
  // 7 Session management
  ['7.1.1', 2, 'how long a session lasts is written down, with the reason', t(INVENTORY, 'says %s')],
  ['7.1.2', 2, 'a person may have as many sessions as devices, and sees them all', SESSIONS_LIST],
  [
    '7.1.3',
    2,
    'how sessions here and at the provider end together is written down',
    t(INVENTORY, 'says %s'),
    BACK_CHANNEL,
  ],
  ['7.2.1', 1, 'the server looks each session up', t(BAD, 'with a session that never was is Unauthorized')],
  ['7.2.2', 1, 'a session is a random token of its own', TOKENS],
  ['7.2.3', 1, 'the token has 256 random bits', TOKENS],
  ['7.2.4', 1, 'each sign-in begins a new session and ends the one before', FRESH],
  [
    '7.3.1',
    2,
    'a session ends when it is not used',
    t('ledger/sessions/sessions.int.spec.ts', 'lives while it is used, and not without'),
  ],
  ['7.3.2', 2, 'a session ends in any case after a time', SESSION_ENDS],
  [
    '7.4.1',
    1,
    'a session that was ended is worth nothing, at any ledger',
    t(BAD, 'a session that has ended stays ended'),
  ],
  ['7.4.2', 1, 'forgetting ends all sessions', FORGET_SESSIONS],
  [
    '7.4.3',
    2,
    'the others can be ended after a passkey changed; recovery ends them by itself',
    SESSIONS_END,
    RECOVERY,
  ],
  [
    '7.4.4',
    2,
    'every page that asks for a sign-in has a way out',
    t(
      'test/browser/coming-and-going.browser.spec.ts',
      'leaves by Log Out, is a visitor again, and comes back with their password',
    ),
  ],
  [
    '7.4.5',
    2,
    'operators can end a person’s sessions, and everybody’s',
    SESSIONS_OPERATOR,
    t(
      'local/backup.drill.spec.ts',
      'brings everything back, hash for hash, ends all sessions, and people sign in to the same balances',
    ),
  ],
  ['7.5.1', 2, 'passkeys, the switch and recovery ask for a new sign-in', STEP_UP_TABLE],
  ['7.5.2', 2, 'people see their sessions and end them, with a proof', SESSIONS_LIST],
  ['7.6.1', 2, 'a sign-in that is too old for what is asked is asked for again', FRESH],
  [
    '7.6.2',
    2,
    'a sign-in is begun by the person',
    t(BAD, 'a sign-in that was never begun ends in a page that says so'),
  ],
  // 8 Authorization
  ['8.1.1', 1, 'who may do what is a table', EVERY_CALL],
  [
    '8.1.2',
    2,
    'who may see which column stands at the column',
    t(
      'projections/engine/table.spec.ts',
      'shows a viewer what names them, null for what names others, and nothing that names nobody',
    ),
  ],
  ['8.2.1', 1, 'each call is a person’s own, or open, or the operators’', EVERY_CALL],
  ['8.2.2', 1, 'what is another’s is as if it were not there', OTHERS_404],
  [
    '8.2.3',
    2,
    'an answer shows another what they may see',
    OTHERS_HIDDEN,
    t(BAD, 'address is not told to whoever knows the id, nor anything about money'),
  ],
  [
    '8.3.1',
    1,
    'the server decides, from the session',
    OTHERS_404,
    t(BAD, 'a payment names its own payer, whatever else its body says'),
  ],
  ['8.4.1', 2, 'accounts are apart: another’s is as if it were not there', OTHERS_404],
  // 9 Self-contained tokens
  ['9.1.1', 1, 'the ID token is the only such token, and its signature is checked', ID_TOKEN],
  ['9.1.2', 1, 'algorithms that the provider’s metadata name, never none', ID_TOKEN],
  ['9.1.3', 1, 'keys come from the issuer that is set', s('OIDC_ISSUER'), ID_TOKEN],
  ['9.2.1', 1, 'a token that has ended is refused', ID_TOKEN],
  ['9.2.2', 2, 'an ID token is none for signing out, nor the other way round', BACK_CHANNEL_TOKENS],
  ['9.2.3', 2, 'a token for another client is refused', ID_TOKEN],
  ['9.2.4', 2, 'the local provider’s tokens name their one client', LOCAL_CODE, d('provider')],
  // 10 OAuth and OIDC
  [
    '10.1.1',
    2,
    'no token is in an answer; an ID token comes to the browser as the hint of its sign-out alone',
    OTHERS_HIDDEN,
    COOKIE,
  ],
  [
    '10.1.2',
    2,
    'a code is taken in the browser that began the sign-in',
    t(BAD, 'a sign-in that was never begun ends in a page that says so'),
  ],
  ['10.2.1', 2, 'PKCE and a state that is bound to the browser', LOCAL_CODE],
  ['10.2.2', 2, 'there is one provider', s('OIDC_ISSUER')],
  ['10.3.1', 2, 'no access token is taken: the app is no resource server', NO_BEARER],
  ['10.3.2', 2, 'no access token is taken', NO_BEARER],
  ['10.3.3', 2, 'no access token is taken', NO_BEARER],
  ['10.3.4', 2, 'no access token is taken', NO_BEARER],
  ['10.4.1', 1, 'redirects are to the registered address', LOCAL_CODE, d('provider')],
  ['10.4.2', 1, 'a code is taken once', LOCAL_CODE, d('provider')],
  ['10.4.3', 1, 'a code ends soon', d('provider')],
  ['10.4.4', 1, 'the code is the only grant', d('provider')],
  ['10.4.5', 1, 'no refresh token is asked for', d('provider')],
  ['10.4.6', 2, 'the code needs its verifier', LOCAL_CODE, d('provider')],
  ['10.4.7', 2, 'clients register nowhere by themselves', d('provider')],
  ['10.4.8', 2, 'no refresh token is asked for', d('provider')],
  ['10.4.9', 2, 'no refresh token is asked for', d('provider')],
  ['10.4.10', 2, 'the app shows its secret to the provider', s('OIDC_CLIENT_SECRET')],
  [
    '10.4.11',
    2,
    'the app asks for a name, an address and nothing else',
    t(LOCAL_IDENTITY, 'brings a new person back to the app with everything the app asks for'),
  ],
  ['10.5.1', 2, 'the nonce of a sign-in is checked', ID_TOKEN],
  [
    '10.5.2',
    2,
    'a person is known by issuer and subject, never by an address',
    t(IDENTITY, 'is the same for the same person, short and safe in a link'),
    t(IDENTITY, 'differs between people, providers, and where the one ends and the other begins'),
  ],
  ['10.5.3', 2, 'metadata that name another issuer are refused', ID_TOKEN],
  ['10.5.4', 2, 'a token for another client is refused', ID_TOKEN],
  ['10.5.5', 2, 'a logout token must be one: its type, its event, its age, once', BACK_CHANNEL_TOKENS],
  ['10.6.1', 2, 'the code is the only answer that is asked for', LOCAL_CODE, d('provider')],
  [
    '10.6.2',
    2,
    'a bare link signs nobody out without asking',
    t(LOCAL_IDENTITY, 'asks first when a bare link was followed, and means it'),
    d('provider'),
  ],
  ['10.7.1', 2, 'consent is asked for at the provider', d('provider')],
  ['10.7.2', 2, 'consent says to what', d('provider')],
  ['10.7.3', 2, 'consent can be taken back', d('provider')],
  // 11 Cryptography
  [
    '11.1.1',
    2,
    'where keys come from, what they are for and how they are changed is written down',
    t(INVENTORY, 'names every secret among the keys'),
  ],
  ['11.1.2', 2, 'keys and algorithms are listed', t(INVENTORY, 'names every secret among the keys')],
  ['11.2.1', 2, 'Node’s own cryptography, and no other', t(INVENTORY, 'names each use of cryptography')],
  ['11.2.2', 2, 'what is sealed says under which key and how; new ones are used from now on', KEY_VERSIONS],
  [
    '11.2.3',
    2,
    'every key has 256 bits',
    KEY_VERSIONS,
    t(PRODUCTION, '%j is refused by name, in one sentence that says what to do'),
  ],
  ['11.3.1', 1, 'no mode without authentication', NO_CODE],
  ['11.3.2', 1, 'AES-256-GCM', SEALED],
  ['11.3.3', 2, 'what was changed does not open', SEALED],
  ['11.4.1', 1, 'SHA-256', NO_CODE, CHAIN_HASH],
  ['11.4.2', 2, 'the app keeps no password; the local provider keeps argon2id', d('provider')],
  ['11.4.3', 2, 'SHA-256, 256 bits', CHAIN_HASH],
  [
    '11.4.4',
    2,
    'no key is made of a password',
    t(PRODUCTION, '%j is refused by name, in one sentence that says what to do'),
  ],
  ['11.5.1', 2, 'what must not be guessed is 32 random bytes', TOKENS, NO_GUESS],
  [
    '11.6.1',
    2,
    'keys are made by Node’s generator; nothing is signed but wallet passes',
    t(
      'ledger/passes/passes.spec.ts',
      'is signed so that openssl takes it, by its own authority only, and not once anything is changed',
    ),
  ],
  // 12 Secure communication
  ['12.1.1', 1, 'TLS 1.2 and 1.3 at the proxy', PROXY_TLS, d('certificates')],
  ['12.1.2', 2, 'ciphers at the proxy', PROXY_TLS, d('certificates')],
  ['12.1.3', 2, 'no client certificate is asked for', NO_PACKAGE],
  [
    '12.2.1',
    1,
    'production refuses a public address without https',
    t(PRODUCTION, '%j is refused by name, in one sentence that says what to do'),
  ],
  ['12.2.2', 1, 'the certificate of the public address', d('certificates')],
  ['12.3.1', 2, 'production refuses stores in the clear', PRODUCTION_TLS],
  [
    '12.3.2',
    2,
    'certificates of servers are checked',
    t(ABSENT, 'never talks to a server whose certificate is not checked'),
  ],
  [
    '12.3.3',
    2,
    'calls between processes stay on a network of their own',
    PRODUCTION_TLS,
    s('LEDGER_INTERNAL_URL'),
  ],
  [
    '12.3.4',
    2,
    'certificates of servers are checked against authorities that are named',
    t(ABSENT, 'never talks to a server whose certificate is not checked'),
  ],
  // 13 Configuration
  [
    '13.1.1',
    2,
    'whom the processes talk to is listed',
    t(INVENTORY, 'names every service that a setting leads to'),
  ],
  [
    '13.2.1',
    2,
    'workers show a token; each process has a role of its own in Postgres',
    t('ledger/http/internal-port.spec.ts', 'carries out nothing for %j'),
    ROLES,
  ],
  ['13.2.2', 2, 'each role may do what its process needs', ROLES],
  [
    '13.2.3',
    2,
    'production refuses passwords that everybody knows',
    t(PRODUCTION, '%j is refused by name, in one sentence that says what to do'),
  ],
  [
    '13.2.4',
    2,
    'the processes talk to what their settings name',
    t(INVENTORY, 'names every service that a setting leads to'),
    d('outbound'),
  ],
  ['13.2.5', 2, 'the ledger calls what its settings name', REMOTE, d('outbound')],
  [
    '13.3.1',
    2,
    'secrets come as files',
    t('test/containers/settings.spec.ts', 'names the secrets that are made for it, all of them'),
    d('secrets'),
  ],
  [
    '13.3.2',
    2,
    'each container is given the secrets that its process reads',
    t('test/containers/settings.spec.ts', 'hands over every setting that %s reads'),
    d('secrets'),
  ],
  [
    '13.4.1',
    1,
    'the image holds no history of the code',
    t(INVENTORY, 'keeps the history of the code out of the image'),
  ],
  [
    '13.4.2',
    2,
    'production moves no clock and shows no inside',
    t(
      'processes/shell/shell.e2e.spec.ts',
      'a process refuses what production may not have, all at once, where NODE_ENV is "%s"',
    ),
    t(SERVER, 'learns nothing of the inside from a fault'),
  ],
  ['13.4.3', 2, 'no folder is listed', t(PAGES, 'have nothing at %s, and do not pretend to')],
  ['13.4.4', 2, 'TRACE is not answered', WIRE],
  ['13.4.5', 2, 'figures are told on the internal port, or for a token', METRICS],
  // 14 Data protection
  [
    '14.1.1',
    2,
    'which data are personal, and where they are',
    t(INVENTORY, 'names every table beside the log'),
  ],
  ['14.1.2', 2, 'how each kind is kept', t(INVENTORY, 'names every table beside the log')],
  [
    '14.2.1',
    1,
    'no session’s token and no key is in an address',
    t(SECRECY, 'is in what any process has said'),
  ],
  ['14.2.2', 2, 'no proxy keeps an answer', t(SERVER, 'every answer carries the page’s bounds: %s')],
  ['14.2.3', 2, 'nobody is told who uses the app', NO_PACKAGE, CSP],
  [
    '14.2.4',
    2,
    'what is personal is sealed in the log and nowhere in what processes say',
    t(SECRECY, 'is in the event store’s files'),
    t(SECRECY, 'is in what any process has said'),
  ],
  ['14.3.1', 1, 'a sign-out clears what the browser kept', SIGN_OUT_CLEARS],
  ['14.3.2', 2, 'answers are not kept', t(SERVER, 'every answer carries the page’s bounds: %s')],
  [
    '14.3.3',
    2,
    'the browser keeps nothing of anybody beyond the session',
    SIGN_OUT_CLEARS,
    t(
      'test/browser/offline.browser.spec.ts',
      'keeps nothing of anybody: the start page and what it loads, each named by what is in it',
    ),
  ],
  // 15 Secure coding and architecture
  [
    '15.1.1',
    1,
    'how soon a package is brought up to date is written down',
    t(INVENTORY, 'says %s'),
    d('updates'),
  ],
  [
    '15.1.2',
    2,
    'every package is listed, by version and hash',
    t(ABSENT, 'are locked to what was published, each by its hash'),
  ],
  ['15.1.3', 2, 'what costs much is listed, with what bounds it', t(INVENTORY, 'says %s')],
  ['15.2.1', 1, 'packages are within these times', d('updates')],
  ['15.2.2', 2, 'what costs much is bounded', LIMITS_REQUESTS, SLOW],
  [
    '15.2.3',
    2,
    'the image holds no stand-in and no test',
    t(
      LAW,
      'declares every package that the app needs when it runs, so that an installation without the rest has it',
    ),
  ],
  ['15.3.1', 1, 'an answer holds what its schema names', SCHEMAS, OTHERS_HIDDEN],
  ['15.3.2', 2, 'redirects of other servers are not followed', REMOTE],
  [
    '15.3.3',
    2,
    'fields that a schema does not name are not taken',
    t(BAD, 'a payment names its own payer, whatever else its body says'),
  ],
  [
    '15.3.4',
    2,
    'the address of a client comes through the proxies that are named',
    CLIENT_ADDRESS,
    s('TRUSTED_PROXIES'),
  ],
  [
    '15.3.5',
    2,
    'TypeScript in its strictest form, and schemas at the edge',
    t(CHECKS, 'has no fault of types, style or format'),
    SCHEMAS,
  ],
  [
    '15.3.6',
    2,
    'names of other people’s choosing are keys of maps, and schemas take what they name',
    BODY_REFUSED,
  ],
  [
    '15.3.7',
    2,
    'a parameter that is said twice is refused',
    t(BAD, 'is never where a sign-in returns to when it is said twice'),
  ],
  // 16 Security logging and error handling
  ['16.1.1', 2, 'what is logged, where and for how long is written down', t(INVENTORY, 'says %s')],
  ['16.2.1', 2, 'a line of the trail says when, who, from which session and what', TRAIL],
  ['16.2.2', 2, 'times are UTC', TRAIL, d('clocks')],
  ['16.2.3', 2, 'processes log to standard output, and to the trail', t(INVENTORY, 'says %s'), d('logs')],
  [
    '16.2.4',
    2,
    'a line is JSON with a correlation id',
    t(SERVER, 'keeps the correlation id of the click into the journal'),
  ],
  ['16.2.5', 2, 'no personal text and no secret is in a line', t(SECRECY, 'is in what any process has said')],
  [
    '16.3.1',
    2,
    'sign-ins are in the trail, the failed ones too',
    t(
      'test/e2e/sessions.e2e.spec.ts',
      'tells an operator who signed in and out, what was ended and refused, and that they asked',
    ),
  ],
  ['16.3.2', 2, 'refusals are in the trail', t(SERVER, 'has who was told no, and why'), TRAIL_REFUSALS],
  ['16.3.3', 2, 'limits and refused proofs are in the trail', TRAIL_REFUSALS],
  ['16.3.4', 2, 'faults are logged as such', t(SERVER, 'learns nothing of the inside from a fault')],
  ['16.4.1', 2, 'lines are JSON, so that no text begins a line of its own', t(RULES, 'is made anew for %j')],
  ['16.4.2', 2, 'the roles of the processes may add to the trail and change nothing in it', ROLES, d('logs')],
  ['16.4.3', 2, 'lines leave the machine', d('logs')],
  [
    '16.5.1',
    2,
    'a fault is answered in one sentence that names nothing of the inside',
    t(SERVER, 'learns nothing of the inside from a fault'),
    WIRE,
  ],
  [
    '16.5.2',
    2,
    'while a store or the provider is away, what can be served is',
    t(
      'test/e2e/outage.drill.spec.ts',
      'takes away writes only: reads are marked within two seconds, and a write waits for eight seconds',
    ),
  ],
  ['16.5.3', 2, 'a guarded call is refused while it cannot be known whether it is guarded', GUARD_CLOSED],
  // 17 WebRTC
  ['17.1.1', 2, 'there is no WebRTC', NO_CODE],
  ['17.2.1', 2, 'there is no WebRTC', NO_CODE],
  ['17.2.2', 2, 'there is no WebRTC', NO_CODE],
  ['17.2.3', 2, 'there is no WebRTC', NO_CODE],
  ['17.2.4', 2, 'there is no WebRTC', NO_CODE],
  ['17.3.1', 2, 'there is no WebRTC', NO_CODE],
  ['17.3.2', 2, 'there is no WebRTC', NO_CODE],
];

export const ASVS: readonly Requirement[] = ROWS.map(([number, level, holds, ...shownBy]) => ({
  number,
  level,
  holds,
  shownBy,
}));
