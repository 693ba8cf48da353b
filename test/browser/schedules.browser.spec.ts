/**
 * Payments to come as a fan meets them: subscribed and planned on the screen, made by a real worker while the
 * page is looked at, failed with a reason, confirmed with the bank, paused and cancelled; and the saved cards
 * that pay them. Every state that comes by is judged.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { eventually } from '#test/conformance/stripe-process';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { looksRight } from '#test/support/browser/looks';
import { answerBank, enterCard } from '#test/support/browser/payment-form';
import { DAY_MS, HOUR_MS, MovedClock } from '#test/support/moved-clock';
import { ASKS_THE_PAYER, VISA } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

/** Is saved, and declined whenever it is charged. */
const REFUSED_LATER = '4000000000000341';
// axe takes seconds where the machine has much to do, and a test here looks more than once.
jest.setTimeout(180_000);
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

const clock = new MovedClock();
const stack = useStack(['all'], { env: clock.env });
const guests = useGuests(stack);
afterAll(() => clock.remove());

let juno: Person;
let odalys: Person;
let milo: Guest;

beforeAll(async () => {
  milo = await guests.open('Milo');
  [juno, odalys] = await Promise.all([
    Person.signUp(stack().url, 'Juno'),
    Person.signUp(stack().url, 'Odalys'),
    milo.join(),
  ]);
});

const button = (name: string, within: Locator = milo.page.getByRole('main')): Locator =>
  within.getByRole('button', { name, exact: true });
const press = (name: string, within?: Locator): Promise<void> => milo.press(button(name, within));
const dialog = (name: string): Locator => milo.page.getByRole('dialog', { name });
const cards = (list: string): Locator => milo.page.getByRole('list', { name: list }).getByRole('listitem');
const card = (list: string, ...words: (string | RegExp)[]): Locator =>
  words.reduce((found, hasText) => found.filter({ hasText }), cards(list));
const has = (person: Person, amount: string): Promise<unknown> =>
  eventually(async () => (await person.me()).earnings === amount, `${person.firstName} to have ${amount}`);
const nextOn = (date: Date): string =>
  `Next ${new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' }).format(date)}`;

/** Finds somebody in the form by what they are searched for, and chooses them. */
async function choose(form: Locator, person: Person, term = person.email): Promise<void> {
  await form.getByRole('textbox', { name: 'User ID or email' }).fill(term);
  await press('Search', form);
  await milo.press(form.getByRole('button', { name: `${person.firstName} Valastro` }));
  await form.getByRole('group', { name: 'Recipient' }).getByText(`${person.firstName} Valastro`).waitFor();
}
/** Enters a card into the form that has come up and keeps it. */
async function saveCard(number: string): Promise<void> {
  const form = dialog('Add a Card');
  await form.waitFor();
  await enterCard(milo.page, number);
  await press('Save Card', form);
}
/** The field's way to write a time, `days` from today. */
const localDay = (days: number): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T20:00`;

describe('a subscription', () => {
  it('is invited to where there is none; what is missing in its form is said at the field', async () => {
    await milo.goto('/subscriptions');
    await milo.sees('No subscriptions yet');
    await looksRight(milo, 'subscriptions-empty');
    await press('New Subscription');
    const form = dialog('New Subscription');
    await press('Create Subscription', form);
    await milo.toast('Error', 'Please fill in all required fields');
    await milo.sees('Choose who you want to pay.', 'Enter an amount.', 'The first payment is made at once.');
    await form.getByRole('spinbutton', { name: 'Amount' }).fill('0');
    await choose(form, juno);
    await press('Create Subscription', form);
    await milo.toast('Invalid Amount', 'Please enter a valid amount greater than 0');
    await looksRight(milo, 'subscription-refused');
  });

  it('asks for a card where there is nothing to pay with, keeps it, and pays at once', async () => {
    const form = dialog('New Subscription');
    await press('$20', form);
    await form.getByLabel('Note (optional)').fill('The late set');
    await press('Create Subscription', form);
    await dialog('Add a Card')
      .getByText('Add a card to pay with. It is charged only when a payment is due.')
      .waitFor();
    await enterCard(milo.page, VISA);
    await looksRight(milo, 'card-asked-for');
    await press('Save Card', dialog('Add a Card'));
    await milo.toast('Subscription Created');
    await form.waitFor({ state: 'detached' });
    // The worker has made the first payment: the page has been told, and says when the next is.
    const made = card('Subscriptions', 'Juno Valastro', 'The late set', '$20.00', 'Monthly', 'Active');
    await made
      .filter({ hasText: /Next \w+ \d+/ })
      .filter({ hasNotText: nextOn(new Date()) })
      .waitFor();
    await has(juno, '20.00');
  });

  it('asks for no card where one is kept; it pauses, goes on, and ends after one was asked', async () => {
    await press('New Subscription');
    const form = dialog('New Subscription');
    await choose(form, odalys, odalys.id);
    await form.getByRole('spinbutton', { name: 'Amount' }).fill('4.5');
    await press('Weekly', form);
    await press('Create Subscription', form);
    await milo.toast('Subscription Created');
    await form.waitFor({ state: 'detached' });
    await has(odalys, '4.50');
    const made = card('Subscriptions', 'Odalys Valastro');
    await made.getByText(nextOn(new Date(Date.now() + 7 * DAY_MS))).waitFor();

    await press('Pause the subscription to Odalys Valastro');
    await milo.toast('Subscription Paused');
    await made.getByText('Paused', { exact: true }).waitFor();
    await press('Resume the subscription to Odalys Valastro');
    await milo.toast('Subscription Resumed');
    await made.getByText('Active', { exact: true }).waitFor();
    await press('Cancel the subscription to Odalys Valastro');
    const asked = dialog('Cancel this subscription?');
    await asked
      .getByText('Odalys Valastro will not receive $4.50 weekly any more.', { exact: false })
      .waitFor();
    await looksRight(milo, 'subscription-cancel');
    await press('Keep It', asked);
    await asked.waitFor({ state: 'detached' });
    await press('Cancel the subscription to Odalys Valastro');
    await press('Cancel Subscription', asked);
    await milo.toast('Subscription Cancelled');
    await made.getByText('Cancelled', { exact: true }).waitFor();
    await made.getByRole('button').first().waitFor({ state: 'detached' });
  });
});

describe('a scheduled payment', () => {
  it('is planned in the form of Payments, from tomorrow on, and made by the worker while one looks on', async () => {
    await milo.goto('/scheduled-payments');
    await milo.sees('No scheduled payments yet');
    await looksRight(milo, 'scheduled-empty');
    await milo.goto('/payments');
    const form = milo.page.getByRole('form', { name: 'Tap to Pay' });
    await press('Scheduled', form);
    await choose(form, odalys);
    await press('$10', form);
    const date = form.getByLabel('Date and time');
    expect(await date.getAttribute('min')).toMatch(/T00:00$/);
    await date.fill(localDay(0));
    await press('Schedule Payment', form);
    await milo.toast('Invalid Date', 'Please choose a date from tomorrow on');
    await looksRight(milo, 'schedule-refused');
    await date.fill(localDay(1));
    await press('Schedule Payment', form);
    await milo.toast('Payment Scheduled');
    await eventually(async () => (await date.inputValue()) === '', 'the form to be empty again');

    await milo.goto('/scheduled-payments');
    const planned = card('Scheduled payments', 'Odalys Valastro', '$10.00');
    await planned.getByText('Pending', { exact: true }).waitFor();
    // Beside the subscription's payments, in their order.
    await milo.heading('Next 90 Days');
    await cards('Upcoming payments')
      .first()
      .filter({ hasText: /Odalys Valastro.*Scheduled.*\$10\.00/ })
      .waitFor();
    await card('Upcoming payments', 'Juno Valastro', 'Monthly', '$20.00').nth(1).waitFor();
    clock.pass(2 * DAY_MS);
    await planned.getByText('Completed', { exact: true }).waitFor();
    await planned.getByText(/^Paid /).waitFor();
    await card('Upcoming payments', 'Odalys Valastro').waitFor({ state: 'detached' });
    await has(odalys, '14.50');
  });

  it('is cancelled after one was asked, and then offers nothing', async () => {
    await press('Schedule Payment');
    const form = dialog('Schedule Payment');
    await choose(form, juno);
    await press('$50', form);
    await form.getByLabel('Date and time').fill(localDay(30));
    await press('Schedule Payment', form);
    await form.waitFor({ state: 'detached' });
    const planned = card('Scheduled payments', '$50.00');
    await milo.press(planned.getByRole('button', { name: /^Cancel the payment to Juno Valastro on / }));
    await looksRight(milo, 'scheduled-cancel');
    await press('Cancel Payment', dialog('Cancel this payment?'));
    await milo.toast('Scheduled Payment Cancelled');
    await planned.getByText('Cancelled', { exact: true }).waitFor();
    await planned.getByRole('button').first().waitFor({ state: 'detached' });
  });
});

describe('saved cards', () => {
  it('are kept on the profile: one more, also one whose bank asks, and which is charged', async () => {
    await milo.goto('/profile');
    await card('Saved cards', 'Visa ••••4242', 'Default', 'Expires 12/40').waitFor();
    await press('Add Card');
    await saveCard(REFUSED_LATER);
    await milo.toast('Card Saved');
    await card('Saved cards', 'Visa ••••0341').waitFor();
    await dialog('Add a Card').waitFor({ state: 'detached' });
    await press('Add Card');
    await saveCard(ASKS_THE_PAYER);
    await answerBank(milo.page, 'Fail');
    await milo.toast('Card Not Saved');
    await press('Save Card', dialog('Add a Card'));
    await answerBank(milo.page, 'Complete');
    await milo.toast('Card Saved');
    await card('Saved cards', 'Visa ••••3184').waitFor();
    await dialog('Add a Card').waitFor({ state: 'detached' });
    await press('Set Default: Visa ••••0341');
    await milo.toast('Default Card Updated', 'Visa ••••0341 is charged from now on.');
    await card('Saved cards', 'Visa ••••0341', 'Default').waitFor();
    await looksRight(milo, 'saved-cards');
  });
});

describe('a payment that fails', () => {
  it('says why and when it is tried again, and has failed after the last try', async () => {
    await milo.goto('/scheduled-payments');
    await press('Schedule Payment');
    const form = dialog('Schedule Payment');
    await choose(form, juno);
    await form.getByRole('spinbutton', { name: 'Amount' }).fill('7');
    await form.getByLabel('Note (optional)').fill('For the strings');
    await form.getByLabel('Date and time').fill(localDay(4));
    await press('Schedule Payment', form);
    await form.waitFor({ state: 'detached' });
    const planned = card('Scheduled payments', 'For the strings');
    await planned.getByText('Pending', { exact: true }).waitFor();
    clock.pass(3 * DAY_MS);
    await planned.getByText('The last payment failed. Your card was declined.').waitFor();
    const nextTry = planned.getByText(/^Next try /);
    for (const waitMs of [HOUR_MS, DAY_MS, 3 * DAY_MS]) {
      const said = await nextTry.textContent();
      if (waitMs === HOUR_MS) await looksRight(milo, 'scheduled-failed-once');
      clock.pass(waitMs + 60_000);
      await nextTry
        .filter({ hasNotText: said ?? '' })
        .or(planned.getByText('Failed', { exact: true }))
        .waitFor();
    }
    await planned.getByText('Failed', { exact: true }).waitFor();
    await planned.getByText('The last payment failed. Your card was declined.').waitFor();
    await planned.getByText('It was to be paid by Visa ••••0341. You have not been charged.').waitFor();
    await looksRight(milo, 'scheduled-failed');
    expect((await juno.me()).earnings).toBe('20.00');
  });

  it('is tried again at once, takes another card, and is paid now', async () => {
    const planned = card('Scheduled payments', 'For the strings');
    const payNow = planned.getByRole('button', { name: 'Pay Now to Juno Valastro' });
    await milo.press(payNow);
    await milo.toast('Payment Failed', 'Your card was declined. You have not been charged.');
    await milo.press(planned.getByRole('button', { name: 'Change Card for Juno Valastro' }));
    const form = dialog('Change Card');
    await form.getByRole('radio', { name: /Visa ••••4242/ }).check();
    await press('Save Changes', form);
    await milo.toast('Scheduled Payment Changed');
    await form.waitFor({ state: 'detached' });
    await planned.getByText('Paid by Visa ••••4242.').waitFor();
    await milo.press(payNow);
    await milo.toast('Payment Made', '$7.00 has been paid.');
    await planned.getByText('Completed', { exact: true }).waitFor();
    await has(juno, '27.00');
  });

  it('says at once that the first payment of a new subscription failed', async () => {
    await milo.goto('/subscriptions');
    await press('New Subscription');
    const form = dialog('New Subscription');
    await choose(form, juno);
    await form.getByRole('spinbutton', { name: 'Amount' }).fill('9');
    await press('Create Subscription', form);
    await milo.toast('First Payment Failed');
    await form.waitFor({ state: 'detached' });
    const failing = card('Subscriptions', '$9.00');
    await failing.getByText('Payment failed', { exact: true }).waitFor();
    await failing.getByText('The last payment failed. Your card was declined.').waitFor();
    await failing.getByText(/^Next try /).waitFor();
    await looksRight(milo, 'subscription-failed-first');
    await press('Edit the subscription to Juno Valastro', failing);
    const edit = dialog('Edit Subscription');
    await edit.getByRole('spinbutton', { name: 'Amount' }).fill('9.5');
    await edit.getByRole('radio', { name: /Visa ••••4242/ }).check();
    await looksRight(milo, 'subscription-edit');
    await press('Save Changes', edit);
    await milo.toast('Subscription Changed');
    const changed = card('Subscriptions', '$9.50');
    await changed.getByText('Paid by Visa ••••4242.').waitFor();
    await looksRight(milo, 'subscription-changed-card');
    await milo.press(changed.getByRole('button', { name: 'Pay Now to Juno Valastro' }));
    await milo.toast('Payment Made', '$9.50 has been paid.');
    await changed.getByText('Active', { exact: true }).waitFor();
    await has(juno, '36.50');
    await press('Cancel the subscription to Juno Valastro', changed);
    await press('Cancel Subscription', dialog('Cancel this subscription?'));
    await changed.getByText('Cancelled', { exact: true }).waitFor();
  });
});

describe('a payment that the bank asks about', () => {
  it('waits with a button, fails and succeeds on the bank’s page, and is paid by the saved card', async () => {
    await milo.goto('/profile');
    await press('Set Default: Visa ••••3184');
    await milo.toast('Default Card Updated');
    await milo.goto('/payments');
    const form = milo.page.getByRole('form', { name: 'Tap to Pay' });
    await press('Subscription', form);
    await choose(form, odalys);
    await form.getByRole('spinbutton', { name: 'Amount' }).fill('6');
    await press('Daily', form);
    await press('Create Subscription', form);
    await milo.toast('Subscription Created');

    await milo.goto('/subscriptions');
    const waiting = card('Subscriptions', '$6.00');
    await waiting.getByText(/^Your bank wants you to confirm this payment by /).waitFor();
    await looksRight(milo, 'subscription-to-confirm');
    await milo.press(waiting.getByRole('link', { name: 'Confirm Payment to Odalys Valastro' }));
    await milo.arriveAt('/checkout');
    await milo.sees('Odalys Valastro', /Your bank asks you to confirm this payment on its own page/);
    await button('Confirm $6.00').waitFor();
    await looksRight(milo, 'confirm-payment');
    await press('Confirm $6.00');
    await answerBank(milo.page, 'Fail');
    await milo.toast('Payment Failed');
    await milo.sees(/You have not been charged\./);
    await press('Confirm $6.00');
    await answerBank(milo.page, 'Complete');
    await milo.toast('Payment Successful', 'Payment processed successfully!');
    await milo.arriveAt('/subscriptions');
    await waiting.getByText(/^Your bank wants/).waitFor({ state: 'detached' });
    await has(odalys, '20.50');
    await waiting.filter({ hasNotText: 'Confirmed' }).filter({ hasNotText: 'failed' }).waitFor();
    await waiting.getByText('Active', { exact: true }).waitFor();
  });

  it('is no card’s any more once it is removed, after one was asked', async () => {
    await milo.goto('/profile');
    for (const name of ['Visa ••••3184', 'Visa ••••0341', 'Visa ••••4242']) {
      await press(`Remove ${name}`);
      const asked = dialog('Remove this card?');
      await asked.waitFor();
      if (name.endsWith('3184')) await looksRight(milo, 'card-remove');
      await press('Remove Card', asked);
      await milo.toast('Card Removed', `${name} is no longer charged.`);
      await asked.waitFor({ state: 'detached' });
    }
    await milo.sees('No saved cards');
  });
});

describe('whom one pays', () => {
  it('is not found by phone yet, nor without a word or by a wrong one, and that is said', async () => {
    await milo.goto('/payments');
    const form = milo.page.getByRole('form', { name: 'Tap to Pay' });
    await milo.press(form.getByRole('tab', { name: 'Phone' }));
    const phone = form.getByRole('textbox', { name: 'Phone number' });
    await press('Search', form);
    await milo.toast('Missing Phone Number');
    await phone.pressSequentially('2125550123987');
    expect(await phone.inputValue()).toBe('(212) 555-0123');
    await press('Search', form);
    await milo.toast('Phone Search Coming Soon');
    await milo.press(form.getByRole('tab', { name: 'Search' }));
    await press('Search', form);
    await milo.toast('Missing Search Term', 'Please enter a user ID or email to search');
    const term = form.getByRole('textbox', { name: 'User ID or email' });
    await term.fill('nobody@valastro.example');
    await term.press('Enter');
    await milo.toast('User Not Found', 'No user found with that ID or email');
    milo.expectFault(/status of 500.*\/api\/users/);
    await milo.page.route('**/api/users/**', (route) => route.fulfill({ status: 500, json: {} }));
    await press('Search', form);
    await milo.toast('Search Error', 'Could not search for user. Please try again.');
    await milo.page.unroute('**/api/users/**');
    await term.fill(juno.email);
    await term.press('Enter');
    await form.getByRole('list', { name: 'Search results' }).getByText('Juno Valastro').waitFor();
    await looksRight(milo, 'recipient-found');
  });
});

describe('Apple Wallet', () => {
  it('is refused where there is none, on home and on Payments', async () => {
    for (const path of ['/payments', '/']) {
      await milo.goto(path);
      await milo.press(milo.page.getByRole('button', { name: /Add to Apple Wallet/ }).first());
      await milo.toast(
        'Apple Wallet Not Supported',
        'Apple Wallet is only supported on iOS devices using Safari.',
      );
    }
  });

  it('takes a pass, and one with a code for an amount or any, in Safari on an iPhone', async () => {
    const phone = await guests.open('Milo', { userAgent: IPHONE, reducedMotion: 'reduce' });
    await phone.enter('/', milo);
    await phone.goto('/payments');
    const first = phone.page.waitForEvent('download');
    await phone.press(phone.page.getByRole('button', { name: /Add to Apple Wallet/ }));
    expect((await first).suggestedFilename()).toBe('encore-payment.pkpass');
    await phone.press(phone.page.getByRole('button', { name: /QR Payment Pass/ }));
    const form = phone.page.getByRole('dialog', { name: 'QR Payment Pass' });
    const amount = form.getByRole('spinbutton', { name: 'Amount (optional)' });
    const add = form.getByRole('button', { name: 'Add to Apple Wallet' });
    await amount.fill('-5');
    await phone.press(add);
    await phone.toast('Invalid Amount', 'Please enter a valid amount greater than 0');
    await looksRight(phone, 'qr-pass');
    await amount.fill('12.50');
    const second = phone.page.waitForEvent('download');
    await phone.press(add);
    expect((await second).suggestedFilename()).toBe('encore-qr-payment.pkpass');
    await form.waitFor({ state: 'detached' });
    await phone.context.close();
  });
});
