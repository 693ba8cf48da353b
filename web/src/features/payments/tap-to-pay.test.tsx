import { beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { CONFIGURATION, provider, resetProvider, setupThat } from '../../../testing/card-provider.js';
import { answering, refusal, renderAt, toast } from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';
import { tomorrow } from './form-rules.js';

const ODALYS = { id: 'odalys-1', firstName: 'Odalys', lastName: 'Ferrante', username: 'odalys.aerial' };
const FOUND = {
  'GET /api/users/odalys%40ferrante.example': { ...ODALYS, email: 'odalys@ferrante.example' },
  'GET /api/users/odalys-1': ODALYS,
};

const pathOf = (place: string) => place.split('?')[0];

beforeEach(() => {
  sessionStorage.clear();
  resetProvider();
});

async function openPayments(answers: Record<string, unknown> = {}, path = '/payments') {
  const server = answering({ ...FOUND, ...answers });
  const app = renderAt(path);
  await screen.findByRole('form', { name: 'Tap to Pay' });
  return { server, ...app };
}

async function chooseOdalys(person: Awaited<ReturnType<typeof openPayments>>['person']) {
  await person.type(screen.getByRole('textbox', { name: 'User ID or email' }), 'odalys@ferrante.example');
  await person.click(screen.getByRole('button', { name: 'Search' }));
  const results = await screen.findByRole('list', { name: 'Search results' });
  await person.click(within(results).getByRole('button', { name: /Odalys Ferrante/ }));
}

describe('finding who is paid', () => {
  it('shows the person of an email address, and takes the chosen one', async () => {
    const { person, server } = await openPayments();
    await chooseOdalys(person);
    const card = screen.getByRole('group', { name: 'Recipient' });
    // The list is gone, so whoever uses the keyboard goes on from the card.
    await waitFor(() => expect(card).toHaveFocus());
    expect(within(card).getByText('Odalys Ferrante')).toBeVisible();
    expect(within(card).getByText('@odalys.aerial')).toBeVisible();
    // Found once; the card does not ask again.
    expect(server.made.filter(({ call }) => call.startsWith('GET /api/users/'))).toHaveLength(1);
    await person.click(within(card).getByRole('button', { name: 'Choose somebody else' }));
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Recipient' })).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'User ID or email' })).toHaveFocus());
  });

  it.each(['odalys@ferrante.example', 'odalys.aerial'])(
    'pays whom the card shows, also where a link or a code names them by %s',
    async (name) => {
      const { person, at } = await openPayments(
        { 'GET /api/users/odalys.aerial': ODALYS },
        `/payments?recipientId=${encodeURIComponent(name)}&amount=5`,
      );
      await waitFor(() =>
        expect(
          within(screen.getByRole('group', { name: 'Recipient' })).getByText('Odalys Ferrante'),
        ).toBeVisible(),
      );
      await person.click(screen.getByRole('button', { name: 'Continue with $5.00' }));
      await waitFor(() => expect(pathOf(at())).toBe('/checkout'));
      expect(new URLSearchParams(at().split('?')[1]).get('recipientId')).toBe('odalys-1');
    },
  );

  it('says that it finds people by the name that stands after their @, and does', async () => {
    const { person } = await openPayments({ 'GET /api/users/%40odalys.aerial': ODALYS });
    const field = screen.getByRole('textbox', { name: 'User ID or email' });
    expect(field).toHaveAttribute('placeholder', '@name, ID, email');
    await person.type(field, '@odalys.aerial{Enter}');
    const results = await screen.findByRole('list', { name: 'Search results' });
    expect(within(results).getByRole('button', { name: /Odalys Ferrante/ })).toBeVisible();
  });

  it('shows the person of a whole id as soon as it is pasted', async () => {
    const id = `usr_${'a1'.repeat(13)}`;
    const { person } = await openPayments({ [`GET /api/users/${id}`]: { ...ODALYS, id } });
    await person.click(screen.getByRole('textbox', { name: 'User ID or email' }));
    await person.paste(id);
    const results = await screen.findByRole('list', { name: 'Search results' });
    expect(within(results).getByRole('button', { name: /Odalys Ferrante/ })).toBeVisible();
  });

  const PAID_LATELY = 'GET /api/transactions?limit=30&type=payment_sent';
  const paid = (counterpartyId: string, counterpartyName: string | null) =>
    line(`pay_${counterpartyId}`, {
      type: 'payment_sent',
      counterpartyId,
      counterpartyName,
      counterpartyUsername: null,
    });

  it('offers the people who were paid last, each once, until somebody is chosen', async () => {
    const rows = [
      paid('odalys-1', 'Odalys Ferrante'),
      paid('gone-1', null),
      paid('odalys-1', 'Odalys Ferrante'),
      ...['Teodor Blum', 'Nell Castellane', 'Wren Achebe', 'Petra Sandoval'].map((name) => paid(name, name)),
    ];
    const { person } = await openPayments({ [PAID_LATELY]: rows });
    const people = within(await screen.findByRole('list', { name: 'Recent people' }));
    expect(people.getAllByRole('button')).toHaveLength(4);
    for (const name of ['Odalys Ferrante', 'Teodor Blum', 'Nell Castellane', 'Wren Achebe'])
      expect(people.getByRole('button', { name })).toBeVisible();
    await person.click(people.getByRole('button', { name: 'Odalys Ferrante' }));
    const card = await screen.findByRole('group', { name: 'Recipient' });
    await waitFor(() => expect(card).toHaveFocus());
    expect(screen.queryByRole('list', { name: 'Recent people' })).not.toBeInTheDocument();
    await person.click(within(card).getByRole('button', { name: 'Choose somebody else' }));
    expect(await screen.findByRole('list', { name: 'Recent people' })).toBeVisible();
    // Whoever types is after somebody else.
    await person.type(screen.getByRole('textbox', { name: 'User ID or email' }), 'o');
    expect(screen.queryByRole('list', { name: 'Recent people' })).not.toBeInTheDocument();
  });

  it('offers nobody where nobody was paid', async () => {
    const { server } = await openPayments({ [PAID_LATELY]: [] });
    await waitFor(() => expect(server.calls(PAID_LATELY)).toHaveLength(1));
    const form = screen.getByRole('form', { name: 'Tap to Pay' });
    // The room that was kept for them is given back.
    await waitFor(() => expect(form.querySelector('ul')).toBeNull());
  });

  it('refuses an empty search', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('button', { name: 'Search' }));
    await toast('Missing Search Term');
    await waitFor(() =>
      expect(screen.getAllByText('Please enter a user ID or email to search')).toHaveLength(2),
    );
    expect(screen.getByRole('textbox', { name: 'User ID or email' })).toBeInvalid();
  });

  it('says that nobody has that id or email address', async () => {
    const { person } = await openPayments();
    await person.type(screen.getByRole('textbox', { name: 'User ID or email' }), 'nobody{Enter}');
    await toast('User Not Found');
    await waitFor(() => expect(screen.getAllByText('No user found with that ID or email')).toHaveLength(2));
  });

  it('says that the search failed', async () => {
    const { person } = await openPayments({ 'GET /api/users/odalys-1': refusal(503, 'Soon.') });
    await person.type(screen.getByRole('textbox', { name: 'User ID or email' }), 'odalys-1{Enter}');
    await toast('Search Error');
    await waitFor(() =>
      expect(screen.getAllByText('Could not search for user. Please try again.')).toHaveLength(2),
    );
  });

  it('formats a phone number while it is typed, and cannot search for one yet', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('tab', { name: 'Phone' }));
    await person.click(screen.getByRole('button', { name: 'Search' }));
    await toast('Missing Phone Number');
    const phone = screen.getByRole('textbox', { name: 'Phone number' });
    expect(phone).toBeInvalid();
    await person.type(phone, '55512345678');
    expect(phone).toBeValid();
    expect(phone).toHaveValue('(555) 123-4567');
    expect(phone).toHaveAttribute('maxlength', '14');
    await person.click(screen.getByRole('button', { name: 'Search' }));
    await toast('Phone Search Coming Soon');
  });

  it('says that there is no camera', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('tab', { name: 'QR' }));
    await person.click(screen.getByRole('button', { name: 'Scan QR Code' }));
    await toast('Camera Not Available');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('starts with the recipient of the address', async () => {
    await openPayments({}, '/payments?recipientId=odalys-1&amount=5.00');
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Continue with $5.00' })).toBeVisible();
  });
});

describe('the form', () => {
  const buttonsOf = (group: string) =>
    within(screen.getByRole('group', { name: group }))
      .getAllByRole('button')
      .map(({ textContent }) => textContent);

  it('offers four amounts, in steps of a cent for any other', async () => {
    await openPayments();
    expect(buttonsOf('Payment mode')).toEqual(['Instant', 'Subscription', 'Scheduled']);
    expect(screen.getByRole('button', { name: 'Instant' })).toHaveAttribute('aria-pressed', 'true');
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Phone',
      'QR',
      'Search',
    ]);
    expect(buttonsOf('Usual amounts')).toEqual(['$5', '$10', '$20', '$50']);
    expect(screen.getByRole('spinbutton', { name: 'Amount' })).toHaveAttribute('step', '0.01');
    expect(screen.getAllByRole('radio')).toHaveLength(2);
    expect(screen.getByRole('radio', { name: 'Card' })).toBeChecked();
    expect(screen.getByRole('radio', { name: 'Cash App' })).not.toBeChecked();
  });

  it('offers no way to pay that the card provider does not have active', async () => {
    await openPayments({ 'GET /api/config': { ...CONFIGURATION, paymentMethods: ['card'] } });
    await waitFor(() => expect(screen.getAllByRole('radio')).toHaveLength(1));
    expect(screen.getByRole('radio', { name: 'Card' })).toBeChecked();
  });

  it('recurs daily, weekly or monthly', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    expect(buttonsOf('Frequency')).toEqual(['Daily', 'Weekly', 'Monthly']);
  });
});

describe('an instant payment', () => {
  it('goes to the checkout with what was written', async () => {
    const { person, at } = await openPayments({
      'GET /api/config': CONFIGURATION,
      'POST /api/create-payment-intent': { clientSecret: 'pi_1_secret_x', paymentId: 'pay_1' },
    });
    await chooseOdalys(person);
    await person.click(screen.getByRole('button', { name: '$20' }));
    expect(screen.getByRole('button', { name: '$20' })).toHaveAttribute('aria-pressed', 'true');
    await person.type(screen.getByRole('textbox', { name: 'Note (optional)' }), 'Gala, silks solo');
    await person.click(screen.getByRole('radio', { name: 'Cash App' }));
    await person.click(screen.getByRole('button', { name: 'Continue with $20.00' }));
    await waitFor(() => expect(pathOf(at())).toBe('/checkout'));
    expect(Object.fromEntries(new URLSearchParams(at().split('?')[1]))).toEqual({
      amount: '20.00',
      recipientId: 'odalys-1',
      description: 'Gala, silks solo',
      paymentMethod: 'cashapp',
    });
  });

  it('needs a recipient and an amount', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('button', { name: 'Continue' }));
    await toast('Missing Information');
    await waitFor(() => expect(screen.getByText('Please enter an amount and recipient ID')).toBeVisible());
    expect(screen.getByText('Choose who you want to pay.')).toBeVisible();
    expect(screen.getByText('Enter an amount.')).toBeVisible();
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'User ID or email' })).toHaveFocus());
  });

  it('takes a comma for the cents, and steps by a cent, never below nothing', async () => {
    const { person } = await openPayments({}, '/payments?recipientId=odalys-1');
    const field = screen.getByRole('spinbutton', { name: 'Amount' });
    expect(field).toHaveAttribute('inputmode', 'decimal');
    await person.type(field, '12,50');
    expect(field).toHaveValue('12,50');
    expect(screen.getByRole('button', { name: 'Continue with $12.50' })).toBeVisible();
    await person.type(field, '{ArrowUp}');
    expect(field).toHaveValue('12.51');
    await person.clear(field);
    await person.type(field, '{ArrowUp}{ArrowDown}{ArrowDown}');
    expect(field).toHaveValue('0.00');
  });

  it.each([
    ['1,250', 'Write thousands without a comma or point, such as 1250 or 1250.00.'],
    ['1e3', 'Please enter a valid amount greater than 0'],
    ['0', 'Please enter a valid amount greater than 0'],
    ['-5', 'Please enter a valid amount greater than 0'],
    ['0.49', 'The smallest payment is $0.50.'],
  ])('of %s is refused at the field and in a toast', async (amount, sentence) => {
    const { person, at } = await openPayments({}, '/payments?recipientId=odalys-1');
    await person.type(screen.getByRole('spinbutton', { name: 'Amount' }), amount);
    await person.click(screen.getByRole('button', { name: 'Continue' }));
    await toast('Invalid Amount');
    await waitFor(() => expect(screen.getAllByText(sentence)).toHaveLength(2));
    await waitFor(() => expect(screen.getByRole('spinbutton', { name: 'Amount' })).toHaveFocus());
    expect(pathOf(at())).toBe('/payments');
  });
});

describe('a subscription', () => {
  const CREATED = { id: 'sub_1', nextPaymentDate: '2026-12-21T20:00:00.000Z', notice: null };

  it('is created with how often it pays, and the form is empty again', async () => {
    const { person, server } = await openPayments(
      { 'POST /api/subscriptions': CREATED },
      '/payments?recipientId=odalys-1',
    );
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: '$10' }));
    await person.click(screen.getByRole('button', { name: 'Weekly' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    await toast('Subscription Created');
    expect(server.calls('POST /api/subscriptions')).toEqual([
      { toUserId: 'odalys-1', amount: 10, frequency: 'weekly', description: null },
    ]);
    expect(
      server.made.find(({ call }) => call === 'POST /api/subscriptions')?.headers.get('idempotency-key'),
    ).toMatch(/^[0-9a-f-]{36}$/);
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Recipient' })).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole('spinbutton', { name: 'Amount' })).toHaveValue(''));
  });

  it('leaves an empty form: no search, no phone number, no note, and the card as method', async () => {
    const { person } = await openPayments({ 'POST /api/subscriptions': CREATED });
    const paste = async (field: HTMLElement, words: string) => {
      await person.click(field);
      await person.paste(words);
    };
    await person.click(screen.getByRole('radio', { name: 'Cash App' }));
    await person.click(screen.getByRole('tab', { name: 'Phone' }));
    await paste(screen.getByRole('textbox', { name: 'Phone number' }), '5551234567');
    await person.click(screen.getByRole('tab', { name: 'Search' }));
    await chooseOdalys(person);
    await person.click(screen.getByRole('button', { name: '$10' }));
    await paste(screen.getByRole('textbox', { name: 'Note (optional)' }), 'The late set');
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    await toast('Subscription Created');
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'User ID or email' })).toHaveValue(''));
    expect(screen.getByRole('textbox', { name: 'Note (optional)' })).toHaveValue('');
    await waitFor(() => expect(screen.getByRole('spinbutton', { name: 'Amount' })).toHaveValue(''));
    await person.click(screen.getByRole('tab', { name: 'Phone' }));
    expect(screen.getByRole('textbox', { name: 'Phone number' })).toHaveValue('');
    await person.click(screen.getByRole('button', { name: 'Instant' }));
    expect(screen.getByRole('radio', { name: 'Card' })).toBeChecked();
  });

  it('needs all of its fields', async () => {
    const { person } = await openPayments();
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    await toast('Missing Information');
    await waitFor(() => expect(screen.getByText('Please fill in all required fields')).toBeVisible());
  });

  it('that the server cannot create shows the specified sentence', async () => {
    const { person } = await openPayments(
      { 'POST /api/subscriptions': () => Response.json({}, { status: 500 }) },
      '/payments?recipientId=odalys-1&amount=5',
    );
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    await toast('Error', 'Failed to create subscription');
    const form = within(screen.getByRole('form', { name: 'Tap to Pay' }));
    expect(form.getByText('Failed to create subscription')).toBeVisible();
    await person.click(form.getByRole('button', { name: 'Scheduled' }));
    expect(form.queryByText('Failed to create subscription')).not.toBeInTheDocument();
  });

  it('asks for a card where there is nothing to pay with, and goes again once it is saved', async () => {
    let asked = 0;
    const { person } = await openPayments(
      {
        'GET /api/config': CONFIGURATION,
        'POST /api/setup-intent': { clientSecret: 'seti_1_secret_x' },
        'POST /api/subscriptions': () => {
          asked += 1;
          return asked === 1
            ? Response.json({ message: 'Add a card first.', code: 'card_required' }, { status: 422 })
            : CREATED;
        },
      },
      '/payments?recipientId=odalys-1&amount=5',
    );
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add a Card' });
    const save = await within(dialog).findByRole('form', { name: 'Card' });
    await waitFor(() => expect(within(save).getByRole('button', { name: 'Save Card' })).toBeEnabled());
    await person.click(within(save).getByRole('button', { name: 'Save Card' }));
    await toast('Subscription Created');
    expect(asked).toBe(2);
  });

  it('is not sent any more by a card that is saved after its form was closed', async () => {
    const { person, server } = await openPayments(
      {
        'GET /api/config': CONFIGURATION,
        'POST /api/setup-intent': { clientSecret: 'seti_1_secret_x' },
        'POST /api/subscriptions': () => Response.json({ code: 'card_required' }, { status: 422 }),
      },
      '/payments?recipientId=odalys-1&amount=5',
    );
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    const card = within(await screen.findByRole('form', { name: 'Card' }));
    await waitFor(() => expect(card.getByRole('button', { name: 'Save Card' })).toBeEnabled());
    let answer: (setup: Record<string, unknown>) => void = () => undefined;
    provider.confirmSetup = async () => new Promise((resolve) => (answer = resolve));
    await person.click(card.getByRole('button', { name: 'Save Card' }));
    await person.click(card.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await act(async () => answer(setupThat('succeeded')));
    await toast('Card Saved');
    expect(server.calls('POST /api/subscriptions')).toHaveLength(1);
  });
});

describe('a scheduled payment', () => {
  async function fill(person: Awaited<ReturnType<typeof openPayments>>['person'], date: string) {
    await person.click(screen.getByRole('button', { name: 'Scheduled' }));
    const field = screen.getByLabelText('Date and time');
    if (date !== '') {
      await person.click(field);
      await person.paste(date);
    }
    return field;
  }

  it('begins tomorrow at the earliest, and is sent with its offset', async () => {
    const soonest = tomorrow(new Date());
    const { person, server } = await openPayments(
      {
        'POST /api/scheduled-payments': {
          id: 'sch_1',
          scheduledDate: new Date(soonest).toISOString(),
          notice: null,
        },
      },
      '/payments?recipientId=odalys-1&amount=12.5',
    );
    const field = await fill(person, soonest);
    expect(field).toHaveAttribute('min', soonest);
    expect(field).toHaveAttribute('type', 'datetime-local');
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    await toast('Payment Scheduled');
    expect(server.calls('POST /api/scheduled-payments')).toEqual([
      {
        toUserId: 'odalys-1',
        amount: 12.5,
        scheduledDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00[+-]\d\d:\d\d$/),
        description: null,
      },
    ]);
  });

  it('needs a date', async () => {
    const { person } = await openPayments({}, '/payments?recipientId=odalys-1&amount=5');
    await fill(person, '');
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    expect(await screen.findByText('Please fill in all required fields')).toBeVisible();
    await waitFor(() => expect(screen.getByText('Choose a date.')).toBeVisible());
  });

  it('that fails shows the specified sentence', async () => {
    const { person } = await openPayments(
      { 'POST /api/scheduled-payments': () => Response.json({}, { status: 500 }) },
      '/payments?recipientId=odalys-1&amount=5',
    );
    await fill(person, tomorrow(new Date()));
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    await toast('Error', 'Failed to schedule payment');
    const form = within(screen.getByRole('form', { name: 'Tap to Pay' }));
    expect(form.getByText('Failed to schedule payment')).toBeVisible();
  });
});
