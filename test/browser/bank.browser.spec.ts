/**
 * What an entertainer does with what they have earned, on the screen and with real money: a bank account and
 * its verification, a payout that arrives and one that comes back, wallets filled and emptied, and a passkey
 * that is asked for before any of it leaves. Every state that comes by is judged.
 */
import { beforeAll, describe, it, jest } from '@jest/globals';
import type { CDPSession, Locator } from 'playwright-core';
import { CurrentUser } from '#contracts/api/users';
import { eventually } from '#test/conformance/stripe-process';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { looksRight } from '#test/support/browser/looks';
import { takesScreenshots } from '#test/support/browser/screenshots';
import { useEvidence } from '#test/support/evidence';
import { FAILING_BANKS, GOOD_BANK, ROUTING } from '#test/support/payee';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1', PAYOUT_RETRY_SECONDS: '0.2' } });
const evidence = useEvidence(stack);
const guests = useGuests(stack);
// axe takes seconds where the machine has much to do, and a test here looks more than once.
jest.setTimeout(180_000);
/** Longer than the suite: what a payout comes to is said by the suite. */
const NEVER_MS = 86_400_000;

const provider = new CardProviderWorld(stack);
let juno: Guest;

beforeAll(async () => {
  juno = await guests.open('Juno');
  const [fan] = await Promise.all([Person.signUp(stack().url, 'Wren'), juno.join()]);
  await provider.control('POST', '/test/balance/top_up', { amount: 100_000, currency: 'usd' });
  await provider.control('POST', '/test/switches', { payouts: { settleMs: NEVER_MS } });
  const me = await juno.context.request.get(new URL('/api/auth/user', juno.url).href);
  await provider.card((await fan.pay(CurrentUser.parse(await me.json()).id, '200.00')).clientSecret);
  await provider.delivered();
});

const main = (): Locator => juno.page.getByRole('main');
const button = (name: string | RegExp, within: Locator = main()): Locator =>
  within.getByRole('button', { name, exact: typeof name === 'string' });
const press = (name: string | RegExp, within?: Locator): Promise<void> => juno.press(button(name, within));
const dialog = (name: string): Locator => juno.page.getByRole('dialog', { name });
const rows = (list: string): Locator => juno.page.getByRole('list', { name: list }).getByRole('listitem');
const row = (list: string, ...words: (string | RegExp)[]): Locator =>
  words.reduce((found, hasText) => found.filter({ hasText }), rows(list));
/** Scrolls there, as one does to read it. */
const inTheMiddle = (what: Locator): Promise<void> =>
  what.evaluate((element) => element.scrollIntoView({ block: 'center' }));
const gone = (what: Locator): Promise<void> => what.waitFor({ state: 'detached' });
/** The balance that the page says can be paid out. */
const balanceIs = (amount: string): Promise<void> =>
  juno.page
    .getByRole('region', { name: 'Request Payout' })
    .getByText(amount, { exact: true })
    .first()
    .waitFor({ state: 'attached' });

async function writeAccount(form: Locator, written: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(written))
    await form.getByLabel(label, { exact: true }).fill(text);
}
async function writeAmount(form: Locator, amount: string): Promise<void> {
  await form.getByRole('spinbutton', { name: 'Amount' }).fill(amount);
}
/** The provider's word on the payout that it was sent last. */
async function providerSays(outcome: 'in_transit' | 'paid'): Promise<void> {
  const sent = await eventually(async () => {
    for await (const { id } of provider.stripe.accounts.list()) {
      const [latest] = (await provider.stripe.payouts.list({ limit: 1 }, { stripeAccount: id })).data;
      if (latest && latest.status === (outcome === 'paid' ? 'in_transit' : 'pending')) return latest;
    }
    return undefined;
  }, 'the payout to be sent');
  await provider.control('POST', `/test/payouts/${sent.id}/settle`, { outcome });
}

describe('a bank account', () => {
  it('is invited to where there is none, and nothing can be paid out', async () => {
    await juno.goto('/bank-accounts');
    await juno.sees('No bank accounts added yet', 'Add a bank account to request payouts', 'No payouts yet');
    await button('Request Payout').and(juno.page.locator(':disabled')).waitFor();
    await looksRight(juno, 'bank-empty');
  });

  it('with something missing or a number that is none is refused at the form, and keeps what was written', async () => {
    await press('Add Your First Account');
    const form = dialog('Add Bank Account');
    await press('Add Account', form);
    await juno.toast('Missing Information', 'Please fill in all required fields');
    await juno.sees('Enter the name that the account is held in.', 'Enter the account number.');
    await looksRight(juno, 'bank-account-refused');
    await writeAccount(form, {
      'Account holder name': 'Juno Valastro',
      'Bank name': 'Harbor Bank',
      'Routing number': '110000001',
      'Account number': GOOD_BANK,
    });
    await press('Add Account', form);
    await form.getByText('The routing number is not a valid one. Please check its digits.').waitFor();
    await writeAccount(form, { 'Routing number': ROUTING, 'Account number': '12' });
    await press('Add Account', form);
    await form.getByText('The account number must have 4 to 17 digits.').waitFor();
    await writeAccount(form, { 'Account number': GOOD_BANK });
    await press('Add Account', form);
    await juno.toast('Bank Account Added');
    await gone(form);
    await row('Bank accounts', 'Harbor Bank', 'Checking ••••6789', 'Juno Valastro', 'Primary').waitFor();
    await looksRight(juno, 'bank-to-verify');
  });

  it('is not added twice', async () => {
    await press('Add Account');
    const form = dialog('Add Bank Account');
    await writeAccount(form, {
      'Account holder name': 'Juno Valastro',
      'Bank name': 'Harbor Bank',
      'Routing number': ROUTING,
      'Account number': GOOD_BANK,
    });
    await press('Savings', form);
    await press('Add Account', form);
    await form.getByText('You have already added this bank account.').waitFor();
    await juno.press(button('Cancel', form));
    await gone(form);
    await eventually(async () => (await rows('Bank accounts').count()) === 1, 'the list of one account');
  });
});

describe('a payout', () => {
  it('of nothing, or of more than there is, is refused', async () => {
    await press('Request Payout');
    const form = dialog('New Payout');
    await press('Request Payout', form);
    await juno.toast('Missing Information', 'Please enter an amount and select a bank account');
    await writeAmount(form, '0');
    await press('Request Payout', form);
    await juno.toast('Invalid Amount', 'Please enter a valid amount greater than 0');
    await writeAmount(form, '200.01');
    await press('Request Payout', form);
    await form.getByText('Your available balance is $200.00, which does not cover $200.01.').waitFor();
    await looksRight(juno, 'payout-refused');
  });

  it('waits for its owner to be verified, and says so', async () => {
    const form = dialog('New Payout');
    await form.getByText('This account is not verified yet. The payout waits until it is.').waitFor();
    await writeAmount(form, '60');
    await press('Request Payout', form);
    await juno.toast('Payout Requested', '$60.00 waits until Harbor Bank is verified.');
    await gone(form);
    await row(
      'Payouts',
      '$60.00',
      'Pending',
      'Finish verifying your account to receive this payout.',
    ).waitFor();
    await balanceIs('$140.00');
    if (takesScreenshots) {
      await juno.goto('/bank-accounts?verification=expired');
      await juno.sees(
        'The verification page was open for too long. Open it again; what you entered is kept.',
      );
      await looksRight(juno, 'bank-verification-expired');
    }
  });

  it('goes on once they come back verified from the provider’s pages, and arrives while the page is looked at', async () => {
    await press('Finish Verification');
    await juno.page.getByRole('heading', { name: 'Set up payouts' }).waitFor();
    await juno.press(juno.page.getByRole('button', { name: 'Leave unfinished' }));
    await juno.arriveAt('/bank-accounts');
    await press('Finish Verification');
    await juno.page.getByRole('heading', { name: 'Set up payouts' }).waitFor();
    await juno.press(juno.page.getByRole('button', { name: 'Accept' }));
    await juno.arriveAt('/bank-accounts');
    await row('Bank accounts', 'Harbor Bank', 'Verified').waitFor();
    await gone(button('Finish Verification'));
    await row('Payouts', '$60.00', 'Processing').waitFor();
    if (takesScreenshots) {
      await inTheMiddle(row('Payouts', 'Processing'));
      await looksRight(juno, 'payout-processing');
    }
    await providerSays('in_transit');
    await providerSays('paid');
    await row('Payouts', '$60.00', 'Completed', /Completed \w+ \d+, \d{4}/).waitFor();
    await balanceIs('$140.00');
  });

  it('that the bank refuses has failed with its reason, and the money is back', async () => {
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 300 } });
    await press('Add Account');
    const form = dialog('Add Bank Account');
    await writeAccount(form, {
      'Account holder name': 'Juno Valastro',
      'Bank name': 'Sunken Savings',
      'Routing number': ROUTING,
      'Account number': FAILING_BANKS.account_closed,
    });
    await press('Savings', form);
    await press('Add Account', form);
    await gone(form);
    const added = row('Bank accounts', 'Sunken Savings', 'Savings ••••1113');
    await juno.press(added.getByRole('button', { name: 'Set Primary: Sunken Savings ••••1113' }));
    await juno.toast('Primary Account Updated', 'Sunken Savings is chosen first for payouts.');
    await added.filter({ hasText: 'Primary' }).waitFor();

    await press('Request Payout');
    const payout = dialog('New Payout');
    await payout
      .getByRole('radio', { name: /Sunken Savings/ })
      .and(payout.locator(':checked'))
      .waitFor();
    await writeAmount(payout, '140');
    await looksRight(juno, 'payout-new');
    await press('Request Payout', payout);
    await gone(payout);
    await row(
      'Payouts',
      '$140.00',
      'Failed',
      'The bank account has been closed.',
      'The money is back in your balance.',
    ).waitFor();
    await balanceIs('$140.00');
    await inTheMiddle(row('Payouts', 'Failed'));
    await looksRight(juno, 'payout-failed');
  });

  it('needs an account that is still there: one is removed after one was asked', async () => {
    await press('Remove Sunken Savings ••••1113');
    const asked = dialog('Remove this account?');
    await asked
      .getByText('Sunken Savings ••••1113 can no longer be paid out to. Your balance stays as it is.')
      .waitFor();
    await looksRight(juno, 'bank-account-remove');
    await press('Remove Account', asked);
    await juno.toast('Bank Account Removed', 'Sunken Savings ••••1113 is off your list.');
    await gone(asked);
    await gone(row('Bank accounts', 'Sunken Savings'));
    await row('Bank accounts', 'Harbor Bank', 'Primary').waitFor();
  });
});

describe('a wallet', () => {
  it('is made where there was none, but not without a name', async () => {
    await juno.goto('/treasury');
    await juno.sees('No treasury transactions yet', 'Create a wallet and add funds to get started', '$0.00');
    await looksRight(juno, 'treasury-empty');
    await press('New Wallet');
    const form = dialog('New Wallet');
    await writeAccount(form, { 'Wallet name': '   ' });
    await press('Create Wallet', form);
    await juno.toast('Error', 'Please enter a wallet name.');
    await looksRight(juno, 'wallet-refused');
    await writeAccount(form, { 'Wallet name': 'Taxes', 'Description (optional)': 'A third of every show' });
    await press('Create Wallet', form);
    await juno.toast('Treasury Wallet Created', 'Your new treasury wallet has been created successfully.');
    await gone(form);
    await row('Wallets', 'Taxes', 'A third of every show', '$0.00', 'USD', 'Active').waitFor();
  });

  it('takes what the balance has, gives back what it holds, and no more', async () => {
    await press('Add Funds to Taxes');
    const adding = dialog('Add Funds');
    await press('Add Funds', adding);
    await juno.toast('Error', 'Please enter a valid amount.');
    await writeAmount(adding, '140.01');
    await press('Add Funds', adding);
    await juno.toast('Error', 'Failed to initiate transfer. Please try again.');
    await adding.getByText('Your available balance is $140.00, which does not cover $140.01.').waitFor();
    await looksRight(juno, 'wallet-funds-refused');
    await writeAmount(adding, '40');
    await writeAccount(adding, { 'Description (optional)': 'Tour of October' });
    await press('Add Funds', adding);
    await juno.toast('Transfer Initiated', 'Your fund transfer has been initiated.');
    await gone(adding);
    await row('Wallets', 'Taxes', '$40.00').waitFor();

    await press('Withdraw from Taxes');
    const taking = dialog('Withdraw');
    await taking.getByText('$100.00', { exact: true }).waitFor();
    await writeAmount(taking, '40.01');
    await press('Withdraw', taking);
    await taking.getByText(/\$40\.00, which does not cover \$40\.01\./).waitFor();
    await writeAmount(taking, '15');
    await press('Withdraw', taking);
    await juno.toast('Funds Withdrawn', 'They are back in your available balance.');
    await gone(taking);
    await row('Wallets', 'Taxes', '$25.00').waitFor();
    await row('Treasury transactions', 'Tour of October', 'Taxes', '+$40.00', 'Completed').waitFor();
    await row('Treasury transactions', 'Treasury Transaction', '-$15.00', 'Completed').waitFor();
  });

  it('is one of several, whose sum stands above them', async () => {
    await press('New Wallet');
    await writeAccount(dialog('New Wallet'), { 'Wallet name': 'New accordion' });
    await press('Create Wallet', dialog('New Wallet'));
    await gone(dialog('New Wallet'));
    await press('Add Funds to New accordion');
    await writeAmount(dialog('Add Funds'), '10.50');
    await press('Add Funds', dialog('Add Funds'));
    await gone(dialog('Add Funds'));
    await main().getByText('$35.50', { exact: true }).first().waitFor({ state: 'attached' });
    await looksRight(juno, 'treasury-filled');
  });
});

describe('a passkey', () => {
  const ASKS = 'Ask for my passkey before money moves';
  let authenticator: CDPSession;
  let authenticatorId = '';
  const verifies = (isUserVerified: boolean) =>
    authenticator.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

  beforeAll(async () => {
    authenticator = await juno.context.newCDPSession(juno.page);
    await authenticator.send('WebAuthn.enable');
    ({ authenticatorId } = await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
  });

  it('is added on the profile with the device’s own authenticator', async () => {
    await juno.goto('/profile');
    await juno.sees('No passkeys yet');
    await looksRight(juno, 'passkeys-empty');
    await press('Add a Passkey');
    await juno.toast('Passkey Added');
    await row('Passkeys', /^Passkey/, /Added \w+ \d+, \d{4}/).waitFor();
    await juno.press(juno.page.getByRole('switch', { name: ASKS }));
    await juno.page.getByRole('switch', { name: ASKS, checked: true }).waitFor();
    if (takesScreenshots) {
      await juno.goto('/profile');
      await row('Passkeys', /^Passkey/).waitFor();
      await inTheMiddle(row('Passkeys', /^Passkey/));
      await looksRight(juno, 'passkeys');
    }
  });

  it('is asked for before a withdrawal and a payout; nothing moves for somebody else’s finger', async () => {
    await juno.goto('/bank-accounts');
    await press('Request Payout');
    const payout = dialog('New Payout');
    await writeAmount(payout, '5');
    await verifies(false);
    await press('Request Payout', payout);
    const sheet = dialog('Confirm with your passkey');
    await press('Confirm with passkey', sheet);
    await sheet.getByText('This needs your passkey. Nothing has changed; please try again.').waitFor();
    await looksRight(juno, 'payout-passkey-refused');
    await verifies(true);
    await press('Confirm with passkey', sheet);
    await gone(payout);
    await row('Payouts', '$5.00', 'Completed').waitFor();
    await eventually(async () => (await rows('Payouts').count()) === 3, 'the list of three payouts');

    await juno.goto('/treasury');
    await press('Withdraw from Taxes');
    await writeAmount(dialog('Withdraw'), '25');
    await press('Withdraw', dialog('Withdraw'));
    await press('Confirm with passkey', dialog('Confirm with your passkey'));
    await gone(dialog('Withdraw'));
    await row('Wallets', 'Taxes', '$0.00').waitFor();
    await main().getByText('$10.50', { exact: true }).first().waitFor({ state: 'attached' });
  });

  it('is asked for before it is removed, and before the switch is turned off', async () => {
    await juno.goto('/profile');
    const asks = juno.page.getByRole('switch', { name: ASKS });
    const sheet = dialog('Confirm with your passkey');
    await verifies(false);
    await juno.press(asks);
    await press('Confirm with passkey', sheet);
    await sheet.getByText('This needs your passkey. Nothing has changed; please try again.').waitFor();
    await press('Cancel', sheet);
    await juno.toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
    await asks.and(juno.page.locator(':checked')).waitFor();
    await verifies(true);
    await press(/^Remove Passkey/);
    const asked = dialog('Remove this passkey?');
    await asked.waitFor();
    await looksRight(juno, 'passkey-remove');
    await press('Remove Passkey', asked);
    await press('Confirm with passkey', sheet);
    await juno.toast('Passkey Removed');
    await gone(asked);
    await juno.sees('No passkeys yet');
  });
});

describe('a screen', () => {
  const SCREENS = [
    ['home', '/', ['/api/transactions'], 'Your recent activity could not be loaded.'],
    ['history', '/history', ['/api/transactions'], 'Your transactions could not be loaded.'],
    [
      'bank',
      '/bank-accounts',
      ['/api/bank-accounts', '/api/payouts'],
      'Your bank accounts could not be loaded.',
    ],
    [
      'treasury',
      '/treasury',
      ['/api/treasury/wallets', '/api/treasury/transactions'],
      'Your wallets could not be loaded.',
    ],
    ['subscriptions', '/subscriptions', ['/api/subscriptions'], 'Your subscriptions could not be loaded.'],
    [
      'scheduled',
      '/scheduled-payments',
      ['/api/scheduled-payments', '/api/subscriptions'],
      'Your scheduled payments could not be loaded.',
    ],
    [
      'profile',
      '/profile',
      ['/api/payment-methods', '/api/passkeys', '/api/settings'],
      'Your saved cards could not be loaded.',
    ],
  ] as const;
  /** Two lists in their order. */
  const SOME_SCREENS = new Set<string>(['scheduled']);

  it.each(
    sampled<readonly (typeof SCREENS)[number][]>(
      SCREENS,
      SCREENS.filter(([name]) => SOME_SCREENS.has(name)),
    ),
  )(
    '%s has the shape of its rows while they are on their way; one that cannot be had says so and is asked again',
    async (name, path, reads, sentence) => {
      const isRead = (url: URL): boolean => reads.some((read) => url.pathname === read);
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      juno.expectFault(/status of 500/);
      await juno.page.route(isRead, async (route) => {
        await answered;
        await route.fulfill({ status: 500, json: { message: 'No.' } });
      });
      await juno.goto(path);
      await juno.page
        .getByRole('status', { name: /^Loading / })
        .first()
        .waitFor();
      await looksRight(juno, `${name}-loading`, { waiting: true });
      answer();
      await juno.sees(sentence);
      await looksRight(juno, `${name}-error`);
      await juno.page.unroute(isRead);
      await juno.press(button('Try again').first());
      await gone(main().getByText(sentence));
    },
  );

  it('whose code cannot be had says so in its place, and is there by Try again; so does a dialog, and the page stays', async () => {
    const { page } = juno;
    juno.expectFault(/net::ERR_|dynamically imported module|Unable to preload/);
    await juno.goto('/profile');
    await juno.heading('Profile');
    await page.route(/\/assets\/TreasuryPage-/, (route) => route.abort());
    await juno.press(page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: 'Treasury' }));
    await juno.heading('Navigation Error');
    await juno.toast(
      'Navigation Error',
      'This page could not be opened. Check your connection and try again.',
    );
    await looksRight(juno, 'page-not-loaded');
    await page.unroute(/\/assets\/TreasuryPage-/);
    await press('Try again');
    await juno.heading('Treasury');

    await page.route(/\/assets\/NewWalletDialog-/, (route) => route.abort());
    await press('New Wallet');
    await juno.toast(
      'Navigation Error',
      'This could not be opened. Check your connection and try again, or load this page again.',
    );
    await juno.heading('Treasury');
    await page.unroute(/\/assets\/NewWalletDialog-/);
    await page.reload();
    await press('New Wallet');
    await dialog('New Wallet').waitFor();
  });
});

describe('after all of it', () => {
  it('the books are in order', async () => {
    await evidence.holds();
  });
});
