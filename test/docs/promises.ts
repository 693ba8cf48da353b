/**
 * Everything that the product's specification promises a person in words: each text, each toast with its
 * title and sentence, each delay and each limit, by the section that says so. `sightings.ts` finds the test
 * that sees each; a spec fails while one has none. The words are the specification's own, to the letter: what
 * is changed here is a change of the product.
 */

/** A test by its file and its own title, and what must stand in its source for it to be about the number. */
export interface Witness {
  readonly file: string;
  readonly test: string;
  readonly marks: readonly string[];
}

/**
 * Where it stands; and whose tests alone count, by file and group, for a word that other screens have too.
 */
interface Place {
  readonly where?: string;
  readonly within?: string;
}

export type SpecificationPromise =
  | ({ readonly kind: 'text'; readonly text: string } & Place)
  | ({ readonly kind: 'toast'; readonly title: string; readonly sentence?: string } & Place)
  | { readonly kind: 'delay' | 'limit'; readonly what: string; readonly by: readonly Witness[] };

export interface Section {
  readonly title: string;
  readonly promises: readonly SpecificationPromise[];
}

const texts = (...all: readonly string[]): SpecificationPromise[] =>
  all.map((text) => ({ kind: 'text', text }));
const text = (words: string, where: string, within?: string): SpecificationPromise => ({
  kind: 'text',
  text: words,
  where,
  ...(within === undefined ? {} : { within }),
});
const toast = (title: string, sentence?: string, where?: string, within?: string): SpecificationPromise => ({
  kind: 'toast',
  title,
  ...(sentence === undefined ? {} : { sentence }),
  ...(where === undefined ? {} : { where }),
  ...(within === undefined ? {} : { within }),
});
const by = (file: string, test: string, ...marks: readonly string[]): Witness => ({ file, test, marks });
const seen =
  (kind: 'delay' | 'limit') =>
  (what: string, ...all: readonly Witness[]): SpecificationPromise => ({ kind, what, by: all });
const delay = seen('delay');
const limit = seen('limit');

/** Titles of tests that several promises are seen by. */
const SESSION_ENDED = 'sends to sign in after 500 ms when the session has ended';
const SETS_UP = 'sets the payment up, shows it, and goes on to the checkout with the same key';
const ACCOUNTS_SHOWN =
  'say whose they are, of which kind, and which is paid first; only another one can be made primary';
const MOVES_SHOWN =
  'shows what moved: in with a plus, anything else with a minus, and the default description';
const FAILS_ONCE = 'that reaches no server fails once: nothing is tried again by itself';
const PASS_OF_A_CODE = 'of a code takes an amount or none, keeps the dialog when it fails, and says why';
const FOUR_AMOUNTS = 'offers four amounts, in steps of a cent for any other';
const TOMORROW = 'begins tomorrow at the earliest, and is sent with its offset';

const ROUTES = 'web/src/app/routes.test.tsx';
const BROKEN = 'web/src/app/page-error.test.tsx';
const FOREIGN = 'web/src/app/foreign-errors.test.ts';
const TOASTS = 'web/src/shared/ui/toasts.test.tsx';
const TAP = 'web/src/features/payments/tap-to-pay.test.tsx';
const DELAYS = 'web/src/features/payments/delays.test.tsx';
const MEASURES = 'web/src/features/payments/measures.test.tsx';
const PHONE = 'web/src/features/payments/phone-number.test.ts';
const RECIPIENT = 'web/src/features/scanner/scanned-recipient.test.ts';
const RULES = 'web/src/features/payments/form-rules.test.ts';
const CHECKOUT = 'web/src/features/checkout/checkout.test.tsx';
const HOME = 'web/src/features/home/HomePage.test.tsx';
const BANK = 'web/src/features/bank-accounts/BankAccountsPage.test.tsx';
const TREASURY = 'web/src/features/treasury/TreasuryPage.test.tsx';
const MY_QR = 'web/src/features/my-qr/my-qr.test.tsx';
const WALLET = 'web/src/features/wallet-passes/wallet.test.tsx';
const WORDING = 'web/src/shared/wording/wording.test.ts';
const SCHEDULES = 'web/src/features/schedules/schedules.test.tsx';
const PROFILE = 'web/src/features/profile/ProfilePage.test.tsx';
const SCANNER = 'web/src/features/scanner/scanner.test.tsx';
const API = 'web/src/shared/api/api.test.ts';
const NAVIGATION = 'web/src/features/payments/navigation.test.tsx';
const TONES = 'web/src/shared/ui/tones.test.tsx';
const TIPS_SERVED = 'test/e2e/tip.e2e.spec.ts';
const PAYOUTS_SERVED = 'test/e2e/payouts.e2e.spec.ts';

export const SPECIFICATION: readonly Section[] = [
  {
    title: '§1 Landing',
    promises: texts(
      'Professional Payment Platform',
      'Secure, professional payment processing for entertainment professionals',
      'SSL Encrypted',
      'Bank Grade Security',
      'Secure Payments',
      'Process payments with industry-leading security',
      'Privacy First',
      'Your data is protected with enterprise-grade encryption',
    ),
  },
  {
    title: '§2 Screens and routes',
    promises: [
      ...texts('404 Page Not Found', 'Did you forget to add the page to the router?'),
      toast('Unauthorized', 'You are logged out. Logging in again...', 'every page, signed out'),
      ...texts('Get Started', 'Secure authentication powered by professional-grade security'),
      ...['Home', 'Payments', 'Bank', 'Treasury', 'Profile'].map((label) => text(label, 'tab bar', ROUTES)),
      limit(
        'Tabs: Home /, Payments /payments, Bank /bank-accounts, Treasury /treasury, Profile /profile',
        by(ROUTES, 'finds the five tabs, and the one that is open', "['Bank', '/bank-accounts']"),
      ),
      limit(
        'The active tab derives from the path, home by default',
        by(ROUTES, 'is at home where a path has no tab', "'Home'"),
      ),
      ...[
        'Manage Bank Accounts',
        'Receive Payment',
        'Send Payment',
        'My QR Code',
        'Add to Apple Wallet',
        'View All',
      ].map((words) => text(words, 'home', HOME)),
      text('Available balance', 'home', HOME),
      text('Recent Activity', 'home', HOME),
      ...['Instant', 'Subscription', 'Scheduled'].map((words) =>
        text(words, 'tap-to-pay modes', `${TAP} › the form`),
      ),
      ...['Phone', 'QR', 'Search'].map((words) => text(words, 'recipient tabs', `${TAP} › the form`)),
      toast('Phone Search Coming Soon'),
      ...['Cash App', 'Card'].map((words) => text(words, 'payment methods', TAP)),
      text('Transaction History', 'history'),
      text('Log Out', 'profile', PROFILE),
      ...['Cash App Payment', 'Card Payment', 'Continue to Secure Payment', 'Cancel'].map((words) =>
        text(words, 'tip page', `${CHECKOUT} › a tip link`),
      ),
      ...['Payment Successful', 'Return Home', 'View Transaction History'].map((words) =>
        text(words, 'payment success', `${CHECKOUT} › the page after a payment`),
      ),
      ...['New Subscription', 'Schedule Payment'].map((words) =>
        text(words, 'subscriptions and scheduled payments', SCHEDULES),
      ),
      ...[
        'Add Account',
        'Primary',
        'Verified',
        'Request Payout',
        'New Payout',
        'Add a bank account to request payouts',
        'Payouts typically process within 1-2 business days.',
        'Payout History',
        'No bank accounts added yet',
        'Add Your First Account',
        'No payouts yet',
      ].map((words) => text(words, 'bank accounts', BANK)),
      limit(
        'Both lists of the bank page show that they load',
        by(
          BANK,
          'have shapes in their places until they are read, the accounts and the payouts',
          'Loading your bank accounts',
          'Loading your payouts',
        ),
      ),
      limit('Set Primary only on accounts that are not', by(BANK, ACCOUNTS_SHOWN, 'Set Primary')),
      ...[
        'New Wallet',
        'Total Treasury Balance',
        'Add Funds',
        'Withdraw',
        'Recent Treasury Transactions',
        'No treasury transactions yet',
        'Create a wallet and add funds to get started',
      ].map((words) => text(words, 'treasury', TREASURY)),
      limit(
        'A treasury transaction without a description is a “Treasury Transaction”',
        by(TREASURY, MOVES_SHOWN, 'Treasury Transaction'),
      ),
      ...['Share', 'Save', 'Copy ID', 'How It Works', 'Please log in to view your QR code'].map((words) =>
        text(words, 'my QR code', MY_QR),
      ),
      toast('Payment Link Copied'),
      limit(
        'Username, user id and payment link can be copied',
        by(
          MY_QR,
          '%s copies %s',
          "'Copy user ID', 'juno-1'",
          'Copy username @junoplays',
          'Copy payment link',
        ),
      ),
      limit(
        'How It Works has three steps',
        by(
          MY_QR,
          'is 300 px wide and says who I am to the app’s own scanner',
          '1Show this code, or send the link.',
          '2They scan it and choose an amount.',
          '3The tip lands in your balance.',
        ),
      ),
      limit('The payment link is {origin}/tip/{userId}', by(MY_QR, 'is shared as a link', 'url: LINK')),
      limit(
        'Save writes a PNG named with the username',
        by(MY_QR, 'is saved as a picture under the username', 'junoplays-qr-code.png', 'image\\/png'),
      ),
      limit(
        'The tip page reads amount, description and paymentMethod, and goes to the checkout with them',
        by(CHECKOUT, SETS_UP, 'paymentMethod'),
      ),
      limit(
        'The tip page has the method card by default, and the amount to 2 decimals',
        by(
          CHECKOUT,
          'is paid by card where it does not say how, and shows its amount to the cent',
          "'Card Payment'",
          '?amount=7.5',
          '^\\$7\\.50$',
        ),
      ),
      limit('Continue stands ready once the payment is set up', by(CHECKOUT, SETS_UP, 'toBeEnabled')),
      limit(
        'Cancel and the back arrow of a tip lead to /payments',
        by(CHECKOUT, SETS_UP, "name: 'Cancel'", "name: 'Back'"),
      ),
      limit(
        'The checkout shows amount, recipient, method and description, which stands in quotes; its back arrow leads to /payments',
        by(CHECKOUT, 'shows what is paid, to whom and how, and opens one payment', '“Gala”', "name: 'Back'"),
      ),
      limit(
        'The checkout without amount or recipient leads to /payments',
        by(CHECKOUT, '%s leads to Payments', "'/payments'"),
      ),
      limit(
        'The provider returns to the origin plus /payment-success',
        by(CHECKOUT, 'says that it was paid, and goes home', '/payment-success'),
      ),
    ],
  },
  {
    title: '§3 Fields with words of their own, and what a code says',
    promises: [
      ...texts('Verified Professional', 'Standard User'),
      limit(
        'A code names its recipient in three ways: JSON with userId and perhaps a name, a URL with /tip/{id} or userId={id}, or the id itself',
        by(
          RECIPIENT,
          '%s names who is to be paid',
          '{"userId":"usr_a"}',
          '"name":"Odalys Ferrante"',
          '/tip/usr_a',
          '?userId=usr_a',
          "['usr_a', {",
        ),
      ),
    ],
  },
  {
    title: '§4 States and transitions',
    promises: [
      limit(
        'A current-user read that fails is not tried again, and a 401 is nobody',
        by(API, 'that reads and is answered 401 has no data, and has not failed', 'null'),
        by(API, FAILS_ONCE, 'toHaveBeenCalledTimes(1)'),
      ),
      limit(
        'A subscription pauses and resumes',
        by(SCHEDULES, 'pause and resume', "status: 'paused'", "status: 'active'"),
      ),
      limit(
        'A cancelled subscription offers nothing',
        by(SCHEDULES, 'are cancelled after a confirmation, and offer no actions then', "status: 'cancelled'"),
      ),
      limit(
        'A bank account becomes primary by Set Primary',
        by(BANK, 'are read again once another one is primary', 'Set Primary: Harbor'),
      ),
      limit(
        'The scanner starts the camera, and closes after a code or an error',
        by(
          SCANNER,
          'says that the camera starts, and takes whom the code names',
          'Starting camera',
          'onClose',
        ),
        by(SCANNER, 'closes when there is no picture to be had (%s), and says why', 'onClose'),
        by(SCANNER, 'closes on a code that is empty, or names nobody', 'onClose'),
      ),
      limit(
        'A scheduled payment is cancelled only while it is pending',
        by(SCHEDULES, 'are cancelled only while they are pending', 'toHaveLength(1)'),
      ),
      text('Processing', 'a payment under way'),
      limit(
        'Payout status, capitalised: completed, processing, failed, pending',
        by(
          BANK,
          'says what became of each: status, dates, and why one failed',
          'PendingRequested',
          'ProcessingRequested',
          'CompletedRequested',
          'FailedRequested',
        ),
      ),
      limit(
        'Payout colours: completed green, processing blue, failed red, anything else yellow',
        by(
          BANK,
          'draws what is completed in green, processing in blue, failed in red, and anything else in yellow',
          "'success', 'info', 'error', 'warning', 'warning'",
        ),
        by(
          TONES,
          'that is %s says %s in %s',
          "'Completed', 'green'",
          "'blue'",
          "'red'",
          "'On hold', 'yellow'",
        ),
      ),
      limit(
        'A treasury credit is green, anything else red',
        by(TREASURY, 'draws what moved in green, and anything else in red', "'in', 'debit', 'debit'"),
        by(TONES, 'that is %s stands in its colour', "'+$20.00', 'green'", "'-$20.00', 'red'"),
      ),
      limit(
        'A treasury credit has a plus, anything else a minus',
        by(TREASURY, MOVES_SHOWN, '+$175.00', '-$240.00'),
      ),
      limit(
        'A wallet is active, pending, inactive or failed; what is not known is shown as inactive',
        by(
          TREASURY,
          'shows the status of each wallet; an unknown one is drawn as inactive',
          "'frozen'",
          "'quiet'",
        ),
      ),
      limit(
        'After a create the dialog closes and the form is empty',
        by(
          TAP,
          'is created with how often it pays, and the form is empty again',
          "'Amount' })).toHaveValue('')",
        ),
        by(
          TAP,
          'leaves an empty form: no search, no phone number, no note, and the card as method',
          "'User ID or email' })).toHaveValue('')",
          "'Phone number' })).toHaveValue('')",
          "name: 'Card' })).toBeChecked()",
        ),
        by(BANK, 'sends all of it, under a key, and closes', "queryByRole('dialog')"),
      ),
    ],
  },
  {
    title: '§5 Validation rules',
    promises: [
      toast('Authentication Required', 'Please log in to make a payment', 'instant tip'),
      toast('Missing Information', 'Please enter an amount and recipient ID', 'instant tip', TAP),
      toast('Invalid Amount', 'Please enter a valid amount greater than 0', 'instant tip', TAP),
      toast('Invalid Amount', 'Please enter a valid amount greater than 0', 'payout', BANK),
      toast('Missing Information', 'Please fill in all required fields', 'subscription', TAP),
      toast('Missing Information', 'Please fill in all required fields', 'scheduled payment', SCHEDULES),
      toast('Missing Information', 'Please fill in all required fields', 'bank account', BANK),
      toast('Error', 'Please fill in all required fields', 'subscriptions page'),
      limit(
        'A subscription and a scheduled payment are of more than 0',
        by(RULES, 'is of more than nothing', "'Invalid Amount'"),
        by(RULES, 'is of more than nothing, as every payment is', "amount: '0'"),
      ),
      limit(
        'A scheduled payment is for tomorrow at the earliest',
        by(TAP, TOMORROW, "'min', soonest", 'datetime-local'),
      ),
      text('Your banking information is encrypted and secure', 'bank account'),
      toast('Missing Information', 'Please enter an amount and select a bank account', 'payout'),
      limit(
        'Account types: checking by default, savings',
        by(BANK, 'begins as a checking account, and says that the numbers are safe', "'Checking'"),
        by(BANK, 'sends all of it, under a key, and closes', "accountType: 'savings'"),
      ),
      limit('A payout’s amount has the step 0.01', by(BANK, 'needs an amount', "'step', '0.01'")),
      toast('Missing Search Term', 'Please enter a user ID or email to search'),
      toast('Missing Phone Number'),
      limit(
        'A QR pass takes an amount or none, from 0 in steps of 0.01',
        by(WALLET, PASS_OF_A_CODE, "'min', '0'", "'step', '0.01'", 'amount: null'),
      ),
      toast('Apple Wallet Not Supported', 'Apple Wallet is only supported on iOS devices using Safari.'),
      toast('Error', 'Please enter a wallet name.', 'new wallet'),
      toast('Error', 'Please enter a valid amount.', 'add funds'),
      limit(
        'Add funds: steps of 0.01 from 0',
        by(
          TREASURY,
          'moves the amount, reads wallets, transactions and balance again, and closes',
          "'min', '0'",
          "'step', '0.01'",
        ),
      ),
      toast('Invalid Tip Link', 'Missing person or amount information'),
      toast('Login Required', 'Please log in to tip someone', '§6, the tip page signed out'),
    ],
  },
  {
    title: '§7 What a call carries',
    promises: [
      limit(
        'A new subscription carries its amount as a number from the form on home and Payments, as typed text from its own page, and no description as null',
        by(TAP, 'is created with how often it pays, and the form is empty again', 'amount: 10,', 'null'),
        by(SCHEDULES, 'are paid from what is chosen as they are created', "amount: '7.5'", 'null'),
      ),
      limit(
        'A scheduled payment carries recipient, amount, date and description',
        by(TAP, TOMORROW, 'amount: 12.5', 'scheduledDate'),
      ),
      limit(
        'A change of settings carries the one that was switched',
        by(
          PROFILE,
          'moves a switch at once, and asks the server for that one setting only',
          '[{ privacyModeEnabled: true }]',
        ),
      ),
      limit(
        'A new bank account carries holder, bank, both numbers and its type',
        by(BANK, 'sends all of it, under a key, and closes', 'accountHolderName', "accountType: 'savings'"),
      ),
      limit(
        'A new wallet carries its name and description',
        by(TREASURY, 'is opened with its name and what it is for', "displayName: 'Festival float'"),
      ),
      limit('A pass of a code carries its amount, or none', by(WALLET, PASS_OF_A_CODE, '{ amount: null }')),
    ],
  },
  {
    title: '§7 What a command says when it is done',
    promises: [
      toast('Treasury Wallet Created', 'Your new treasury wallet has been created successfully.'),
      toast('Transfer Initiated', 'Your fund transfer has been initiated.'),
    ],
  },
  {
    title: '§8 Error catalogue',
    promises: [
      limit(
        'A refused call is its status, a colon, a space and its body, or the status in words',
        by(API, 'that is refused says the status and the body, and has the sentence of the server', '422: '),
        by(API, 'that is refused without a body says the status in words', '502: Bad Gateway'),
      ),
      toast('Payment Error', 'Recipient user not found. Please check the recipient ID and try again.'),
      toast('Payment Error', 'Please log in again to make a payment.'),
      toast('Payment Error', 'Failed to initialize payment. Please try again.'),
      toast('Tip Error', 'Failed to initialize tip payment.'),
      toast('Tip Error', 'This person cannot receive tips. Please check the link.'),
      toast('Tip Error', 'Please log in again to tip this person.'),
      toast('Payment Failed', undefined, 'with the provider’s message'),
      toast('Payment Successful', 'Payment processed successfully!'),
      toast('User Not Found', 'No user found with that ID or email'),
      toast('Search Error', 'Could not search for user. Please try again.'),
      ...[
        'Camera Permission Denied',
        'No Camera Found',
        'Not Supported',
        'Camera In Use',
        'Camera Error',
        'Camera Not Available',
      ].map((title) => toast(title, undefined, undefined, SCANNER)),
      toast('Flash Error', 'Unable to control camera flash'),
      toast('Invalid QR Code'),
      toast('Update Failed', 'Failed to update settings. Please try again.'),
      ...texts(
        'Failed to generate Apple Wallet pass. Please try again.',
        'Failed to generate QR payment pass. Please try again.',
      ),
      ...[
        'Failed to create subscription',
        'Failed to schedule payment',
        'Failed to create scheduled payment',
        'Failed to update subscription',
        'Failed to update scheduled payment',
        'Failed to add bank account',
        'Failed to update primary account',
        'Failed to delete bank account',
        'Failed to create payout',
      ].map((sentence) => text(sentence, 'where the server has no sentence of its own')),
      toast('Error', 'Failed to create treasury wallet. Please try again.'),
      limit(
        'A treasury transfer that fails: “Error”, “Failed to initiate transfer. Please try again.”',
        by(TREASURY, 'says at the button that there is not enough', "toast('Error', failed)"),
        by(TREASURY, '$act', 'Failed to initiate transfer. Please try again.'),
      ),
      limit(
        '“Unauthorized”, “You are logged out. Logging in again...” on a new wallet, and on a transfer either way',
        by(TREASURY, SESSION_ENDED, 'POST /api/treasury/wallets', 'sendsToSignIn('),
        by(TREASURY, SESSION_ENDED, '[call]: SIGNED_OUT', 'sendsToSignIn('),
      ),
      toast('Navigation Error', undefined, 'a page that cannot be opened', BROKEN),
      toast('Navigation Error', undefined, 'the way to the checkout', NAVIGATION),
      limit(
        '“Script error” and unhandled rejections of other origins are silent',
        by(FOREIGN, 'keeps “Script error” out of the console', 'Script error'),
        by(FOREIGN, 'keeps a rejection of another origin out of the console', 'rejection(thrownAt('),
        by(FOREIGN, 'leaves our own alone', 'toBe(false)'),
      ),
    ],
  },
  {
    title: '§9 Constants and limits',
    promises: [
      limit(
        'Presets stand in 4 columns; the chosen one is highlighted',
        by(MEASURES, 'have the usual amounts in four columns', 'repeat(4'),
        by(TAP, 'goes to the checkout with what was written', "'aria-pressed', 'true'"),
      ),
      limit('Preset amounts: $5, $10, $20, $50', by(TAP, FOUR_AMOUNTS, "['$5', '$10', '$20', '$50']")),
      limit('An amount has the step 0.01', by(TAP, FOUR_AMOUNTS, "'step', '0.01'")),
      limit(
        'Frequencies: daily, weekly, monthly',
        by(TAP, 'recurs daily, weekly or monthly', "['Daily', 'Weekly', 'Monthly']"),
      ),
      limit(
        'Payment methods: card by default, cashapp',
        by(TAP, FOUR_AMOUNTS, "name: 'Card'", 'toBeChecked'),
      ),
      limit(
        'Recent activity shows 3',
        by(
          HOME,
          'lists the last three with what they are, and leads to all when there are more',
          "line('p4')",
          'Payment receivedYesterday',
        ),
      ),
      ...texts('Less than an hour ago', '3 hours ago', 'Yesterday', '2 days ago'),
      limit('From 7 days on: the date', by(WORDING, 'is the date from a week on', '7 * 24 * HOUR')),
      limit(
        'Two decimals; + for what was received, - for anything else',
        by(WORDING, 'has a plus for what came in and a minus for what went out', "'+$20.00', '-$15.00'"),
      ),
      limit(
        'Account numbers show their last 4 digits',
        by(
          PAYOUTS_SERVED,
          'is added, and waits with its owner’s payouts for the provider’s verification',
          "accountNumber: '••••6789'",
          'juno.banks()',
        ),
        by(BANK, ACCOUNTS_SHOWN, '••••4417'),
      ),
      limit('USD, as en-US writes it', by(WORDING, '%s is %s', "['1284.50', '$1,284.50']")),
      limit(
        'The QR code is 300 px wide',
        by(MY_QR, 'is 300 px wide and says who I am to the app’s own scanner', "'width', '300'"),
      ),
      limit(
        'The QR code has the margin 2, and is black on white',
        by(
          'web/src/features/account/own-code.test.ts',
          'has a margin of two, in black on white',
          'size + 2 * 2',
          '#000000',
          '#ffffff',
        ),
      ),
      limit('A phone number is written (XXX) XXX-XXXX', by(PHONE, '%j is written %j', "'(555) 123-4567'")),
      limit(
        'The phone field takes at most 14 characters',
        by(PHONE, 'never grows beyond its longest form', 'PHONE_MAX_LENGTH'),
        by(
          TAP,
          'formats a phone number while it is typed, and cannot search for one yet',
          "'maxlength', '14'",
        ),
      ),
      limit(
        'The list of people who were found scrolls at 48 units',
        by(
          MEASURES,
          'list who was found as high as 48 units of the grid, and scroll from there',
          'calc\\(48',
          "'auto'",
        ),
      ),
      delay('300 ms before the checkout', by(DELAYS, 'waits 300 ms before the checkout', '299')),
      delay(
        '500 ms before sign-in',
        by(
          ROUTES,
          'sees at %s that they are logged out, and is sent to sign in and back after 500 ms',
          '499',
        ),
      ),
      delay(
        '500 ms before sign-in after a treasury command',
        by(TREASURY, SESSION_ENDED, 'POST /api/treasury/wallets', 'sendsToSignIn('),
        by(TREASURY, SESSION_ENDED, '[call]: SIGNED_OUT', 'sendsToSignIn('),
      ),
      delay(
        '1 s before sign-in on the tip page',
        by(ROUTES, 'is asked to log in by a tip link, and comes back to it after 1 s', '999'),
      ),
      delay(
        '1 s before sign-in on the instant form',
        by(DELAYS, 'sends signed-out people to sign in after 1 s', '999'),
        by(DELAYS, 'sends to sign in after 1 s, and back to the form as it was', 'Authentication Required'),
      ),
      delay(
        '2 s after an invalid link',
        by(DELAYS, 'without an amount is left for the form after 2 s', '1999'),
      ),
      delay(
        '2 s before sign-in when a payment is refused to somebody signed out',
        by(DELAYS, 'of a session that has ended goes to sign in after 2 s (%s)', '1999'),
      ),
      delay(
        '3 s after a payment or tip error',
        by(DELAYS, 'that cannot be opened is left for the form after 3 s (%s)', '2999'),
      ),
      limit(
        'One toast at a time',
        by(TOASTS, 'takes the place of the one before, with five seconds of its own', "queryByText('First')"),
      ),
      delay(
        'A toast goes after 5000 ms',
        by(TOASTS, 'takes the place of the one before, with five seconds of its own', '4999'),
      ),
      limit(
        'A toast is swiped away to the right from 50 px on',
        by(TOASTS, 'is swiped away to the right from 50 px on', 'swipe(49)', 'swipe(50)'),
      ),
      limit(
        'F8 focuses the notifications',
        by(TOASTS, 'waits while it has the focus, which F8 brings to it', "key: 'F8'"),
      ),
      limit(
        'A transfer is of more than 0, and has no upper limit',
        by(TREASURY, 'refuses “%s” as an amount', "'0'"),
        by(TREASURY, 'takes any amount, however large', '999999999.99'),
      ),
      limit(
        'Nothing is read again by itself: no retry, not on focus, no polling',
        by(API, FAILS_ONCE, 'toHaveBeenCalledTimes(1)'),
        by(
          API,
          'that read %s is not made again by a returning focus or network, nor by an hour',
          "[window, 'focus']",
          '3_600_000',
          'toEqual(read)',
        ),
      ),
      limit(
        'A setting that nobody touched: biometrics off, privacy off, alerts on',
        by(
          TIPS_SERVED,
          'switch their settings, each their own',
          '{ biometricEnabled: false, privacyModeEnabled: false, transactionAlertsEnabled: true }',
        ),
        by(PROFILE, 'begins with alerts on, and privacy mode and passkeys off', 'toBeChecked'),
      ),
      limit(
        'A page that cannot be opened says so, and can be tried again',
        by(
          BROKEN,
          'says so in a toast and on the page, and another page is another chance',
          'Navigation Error',
        ),
      ),
    ],
  },
];
