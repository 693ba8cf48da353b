import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { ScheduledPayment } from '#contracts/api/scheduled-payments';
import type { Subscription } from '#contracts/api/subscriptions';
import { FakeStream } from '../../../testing/fake-stream.js';
import { answering, refusal, renderAt, SETTINGS, toast } from '../../../testing/render.js';

beforeEach(() => {
  sessionStorage.clear();
});
afterEach(() => {
  jest.restoreAllMocks();
});

const common = {
  toUserId: 'odalys-1',
  toUsername: 'odalys.aerial',
  toFirstName: 'Odalys',
  toLastName: 'Ferrante',
  amount: '45.00',
  lastFailureReason: null,
  lastFailureFrom: null,
  failedDueAt: null,
  source: { from: 'balance_then_card', cardId: null } as const,
  nextTryAt: null,
  needsConfirmation: false,
  confirmPaymentId: null,
  confirmBy: null,
  isCollecting: false,
  createdAt: '2026-11-01T12:00:00.000Z',
};
const MONTHLY: Subscription = {
  ...common,
  id: 'sub_1',
  frequency: 'monthly',
  description: 'Rehearsal space share',
  status: 'active',
  nextPaymentDate: '2030-12-01T12:00:00.000Z',
  pauseReason: null,
  lastPaymentAt: '2026-11-01T12:00:00.000Z',
};
const VISA = { id: 'crd_a', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true };
const PLANNED: ScheduledPayment = {
  ...common,
  id: 'sch_1',
  description: null,
  scheduledDate: '2030-12-24T12:00:00.000Z',
  status: 'pending',
  completedAt: null,
};

describe('privacy mode', () => {
  it.each([
    ['/subscriptions', 'GET /api/subscriptions', MONTHLY, 'Cancel this subscription?'],
    ['/scheduled-payments', 'GET /api/scheduled-payments', PLANNED, 'Cancel this payment?'],
  ])('hides the amount where something is cancelled, too: %s', async (path, call, schedule, title) => {
    answering({
      'GET /api/subscriptions': [],
      [call]: [schedule],
      'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true },
    });
    const { person } = renderAt(path);
    await person.click(await screen.findByRole('button', { name: /^Cancel the/ }));
    const asked = await screen.findByRole('dialog', { name: title });
    await waitFor(() =>
      expect(asked).toHaveTextContent(/Odalys Ferrante will not receive ••••Amount hidden /),
    );
    expect(asked).not.toHaveTextContent('45');
  });
});

describe('a list that alone is answered 401', () => {
  it('says that it could not be loaded, and is asked for again', async () => {
    const server = answering({ 'GET /api/subscriptions': refusal(401, 'Unauthorized') });
    const { person } = renderAt('/subscriptions');
    const again = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.getByText('Your subscriptions could not be loaded.')).toBeVisible();
    server.answers['GET /api/subscriptions'] = [];
    await person.click(again);
    expect(await screen.findByText('No subscriptions yet')).toBeVisible();
  });
});

describe('subscriptions', () => {
  async function open(subscriptions: unknown, answers: Record<string, unknown> = {}) {
    const server = answering({ 'GET /api/subscriptions': subscriptions, ...answers });
    const app = renderAt('/subscriptions');
    await screen.findByRole('heading', { name: 'Subscriptions' });
    await waitFor(() =>
      expect(screen.queryByLabelText('Loading your subscriptions')).not.toBeInTheDocument(),
    );
    return { server, ...app };
  }
  const PATCH = 'PATCH /api/subscriptions/sub_1/status';

  const many = Array.from({ length: 60 }, (_, n) => ({ ...MONTHLY, id: `sub_${n}`, toFirstName: `N${n}` }));

  it('that are many are shown in pieces', async () => {
    const { person } = await open(many);
    const list = screen.getByRole('list', { name: 'Subscriptions' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(24);
    await person.click(screen.getByRole('button', { name: 'Show More' }));
    await person.click(screen.getByRole('button', { name: 'Show More' }));
    expect(within(list).getAllByRole('listitem')).toHaveLength(60);
    expect(screen.queryByRole('button', { name: 'Show More' })).not.toBeInTheDocument();
  });

  it('that are many are shown down to the one that a message names', async () => {
    answering({ 'GET /api/subscriptions': many });
    renderAt('/subscriptions?change=sub_40');
    const dialog = await screen.findByRole('dialog', { name: 'Change Card' });
    expect(dialog).toBeVisible();
  });

  it('say whom they pay, what for, how often, and when next', async () => {
    await open([MONTHLY, { ...MONTHLY, id: 'sub_2', description: null, frequency: 'daily' }]);
    const [first, second] = within(screen.getByRole('list', { name: 'Subscriptions' })).getAllByRole(
      'listitem',
    );
    await waitFor(() =>
      expect(first).toHaveTextContent(
        'Odalys FerranteRehearsal space share$45.00MonthlyPaid from your balance. You have no saved card.ActiveNext Dec 1, 2030EditPauseCancel',
      ),
    );
    expect(second).toHaveTextContent('No description');
    expect(second).toHaveTextContent('Daily');
  });

  it('pause and resume', async () => {
    const paused = {
      ...MONTHLY,
      status: 'paused',
      nextPaymentDate: null,
      notice: 'A payment is not stopped by this.',
    };
    const { person, server } = await open([MONTHLY], { [PATCH]: paused });
    server.answers['GET /api/subscriptions'] = [paused];
    await person.click(screen.getByRole('button', { name: 'Pause the subscription to Odalys Ferrante' }));
    await toast('Subscription Paused', 'A payment is not stopped by this.');
    const resume = await screen.findByRole('button', { name: 'Resume the subscription to Odalys Ferrante' });
    server.answers[PATCH] = { ...MONTHLY, notice: null };
    server.answers['GET /api/subscriptions'] = [MONTHLY];
    await person.click(resume);
    await toast('Subscription Resumed', 'The next payment is on Dec 1, 2030.');
    expect(server.calls(PATCH)).toEqual([{ status: 'paused' }, { status: 'active' }]);
  });

  it('are cancelled after a confirmation, and offer no actions then', async () => {
    const cancelled = { ...MONTHLY, status: 'cancelled', nextPaymentDate: null, notice: null };
    const { person, server } = await open([MONTHLY], { [PATCH]: cancelled });
    server.answers['GET /api/subscriptions'] = [cancelled];
    await person.click(screen.getByRole('button', { name: 'Cancel the subscription to Odalys Ferrante' }));
    expect(server.calls(PATCH)).toHaveLength(0);
    await person.click(await screen.findByRole('button', { name: 'Cancel Subscription' }));
    await toast('Subscription Cancelled');
    expect(server.calls(PATCH)).toEqual([{ status: 'cancelled' }]);
    expect(await screen.findByText('Cancelled')).toBeVisible();
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /the subscription to Odalys/ })).not.toBeInTheDocument(),
    );
  });

  it('that cannot be changed say so in the spec’s words', async () => {
    const { person } = await open([MONTHLY], { [PATCH]: () => Response.json({}, { status: 500 }) });
    await person.click(screen.getByRole('button', { name: 'Pause the subscription to Odalys Ferrante' }));
    await toast('Error', 'Failed to update subscription');
  });

  it('that paused automatically show the reason', async () => {
    await open([
      {
        ...MONTHLY,
        status: 'paused',
        nextPaymentDate: null,
        pauseReason: 'The card was declined three times.',
      },
    ]);
    expect(screen.getByText('The card was declined three times.')).toBeVisible();
  });

  it('whose payment failed show the reason and the next try', async () => {
    await open([
      { ...MONTHLY, lastFailureReason: 'Your card was declined.', nextTryAt: '2026-11-22T12:00:00.000Z' },
    ]);
    expect(screen.getByText('The last payment failed. Your card was declined.')).toBeVisible();
    expect(screen.getByText(/^Next try Nov 22, 2026/)).toBeVisible();
    expect(await screen.findByText('Paid from your balance. You have no saved card.')).toBeVisible();
    expect(screen.getByText('Payment failed')).toBeVisible();
    expect(screen.queryByText('Active')).not.toBeInTheDocument();
  });

  const AMEX = { id: 'crd_b', brand: 'amex', last4: '0005', expMonth: 12, expYear: 2040, isDefault: false };
  const FAILED = {
    ...MONTHLY,
    lastFailureReason: 'Your card was declined.',
    lastFailureFrom: { from: 'card', cardId: 'crd_a' },
    failedDueAt: '2026-11-22T11:00:00.000Z',
    nextTryAt: '2026-11-22T12:00:00.000Z',
  };
  const PAY = 'POST /api/subscriptions/sub_1/pay-now';
  const CHANGE = 'PATCH /api/subscriptions/sub_1';

  it('whose payment failed are paid now, and say so where that fails again', async () => {
    const { person, server } = await open([FAILED], {
      'GET /api/payment-methods': [VISA],
      [PAY]: { ...FAILED, notice: null },
    });
    expect(
      await screen.findByText('It was to be paid by Visa ••••4242. You have not been charged.'),
    ).toBeVisible();
    const pay = screen.getByRole('button', { name: 'Pay Now to Odalys Ferrante' });
    await person.click(pay);
    await toast('Payment Failed', 'Your card was declined. You have not been charged.');
    await waitFor(() => expect(server.calls('GET /api/subscriptions')).toHaveLength(2));
    server.answers[PAY] = { ...MONTHLY, notice: null };
    server.answers['GET /api/subscriptions'] = [MONTHLY];
    await person.click(pay);
    await toast('Payment Made', '$45.00 has been paid.');
    expect(server.calls(PAY)).toEqual([
      { dueAt: '2026-11-22T11:00:00.000Z' },
      { dueAt: '2026-11-22T11:00:00.000Z' },
    ]);
    await waitFor(() => expect(pay).not.toBeInTheDocument());
  });

  it('take another card from their dialog, and send nothing where nothing was changed', async () => {
    const { person, server } = await open([FAILED], {
      'GET /api/payment-methods': [VISA, AMEX],
      [CHANGE]: { ...FAILED, source: { from: 'card', cardId: 'crd_b' }, notice: null },
    });
    const change = screen.getByRole('button', { name: 'Change Card for Odalys Ferrante' });
    await person.click(change);
    const form = within(await screen.findByRole('dialog', { name: 'Change Card' }));
    expect(form.queryByRole('spinbutton')).not.toBeInTheDocument();
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    expect(server.calls(CHANGE)).toEqual([]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await person.click(change);
    const again = within(await screen.findByRole('dialog', { name: 'Change Card' }));
    await person.click(again.getByRole('radio', { name: /Amex ••••0005/ }));
    await person.click(again.getByRole('button', { name: 'Save Changes' }));
    await toast('Subscription Changed');
    expect(server.calls(CHANGE)).toEqual([{ source: { from: 'card', cardId: 'crd_b' } }]);
  });

  it('that are changed late lead nobody back who has gone on, and close no dialog that was opened since', async () => {
    const answers: ((changed: unknown) => void)[] = [];
    answering({
      'GET /api/subscriptions': [MONTHLY],
      'GET /api/payment-methods': [VISA],
      [CHANGE]: () => new Promise((resolve) => void answers.push(resolve)),
    });
    const { person, navigate, at } = renderAt('/subscriptions?change=sub_1');
    const change = async (): Promise<void> => {
      const form = within(await screen.findByRole('dialog', { name: /^(Change Card|Edit Subscription)$/ }));
      await person.click(await form.findByRole('radio', { name: /This card alone/ }));
      await person.click(form.getByRole('button', { name: 'Save Changes' }));
      await person.click(form.getByRole('button', { name: 'Cancel' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    };
    const edit = async () =>
      person.click(await screen.findByRole('button', { name: 'Edit the subscription to Odalys Ferrante' }));
    const changed = { ...MONTHLY, source: { from: 'card', cardId: 'crd_a' }, notice: null };
    await change();
    await navigate('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    await act(async () => answers.shift()?.(changed));
    await toast('Subscription Changed');
    expect(at()).toBe('/profile');

    await navigate('/subscriptions');
    await edit();
    await change();
    await edit();
    await screen.findByRole('dialog', { name: 'Edit Subscription' });
    await act(async () => answers.shift()?.(changed));
    await toast('Subscription Changed');
    expect(screen.getByRole('dialog', { name: 'Edit Subscription' })).toBeVisible();
  });

  it('name the card that pays them also once it was renewed, and have it chosen in their dialog', async () => {
    const renewed = { ...VISA, id: 'crd_new', expYear: 2044, earlierIds: ['crd_a'] };
    const byCard = { ...MONTHLY, source: { from: 'card', cardId: 'crd_a' } };
    const { person, server } = await open([byCard], { 'GET /api/payment-methods': [renewed] });
    expect(await screen.findByText('Paid by Visa ••••4242.')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Edit the subscription to Odalys Ferrante' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Subscription' }));
    expect(form.getByRole('radio', { name: /^Visa ••••4242/ })).toBeChecked();
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.calls(CHANGE)).toEqual([]);
  });

  it('take another amount, refused at its field where it is none', async () => {
    const { person, server } = await open([MONTHLY], { [CHANGE]: { ...MONTHLY, notice: null } });
    await person.click(screen.getByRole('button', { name: 'Edit the subscription to Odalys Ferrante' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Subscription' }));
    const amount = form.getByRole('spinbutton', { name: 'Amount' });
    for (const none of ['', '0', '-5', 'ten']) {
      await person.clear(amount);
      await person.click(amount);
      await person.paste(none);
      await person.click(form.getByRole('button', { name: 'Save Changes' }));
      await toast('Invalid Amount', 'Please enter a valid amount greater than 0');
      expect(amount).toBeInvalid();
    }
    await person.click(form.getByRole('button', { name: '$50' }));
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    await toast('Subscription Changed');
    expect(server.calls(CHANGE)).toEqual([{ amount: '50.00' }]);
  });

  it('whose change is refused say so in their dialog, until something in it is changed', async () => {
    const sentence = 'Your available balance is $0.00, which does not cover $50.00.';
    const { person } = await open([MONTHLY], { [CHANGE]: refusal(422, sentence) });
    await person.click(screen.getByRole('button', { name: 'Edit the subscription to Odalys Ferrante' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Subscription' }));
    await person.click(form.getByRole('button', { name: '$50' }));
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    await toast('Error', sentence);
    expect(await form.findByText(sentence)).toBeVisible();
    await person.click(form.getByRole('button', { name: '$20' }));
    expect(form.queryByText(sentence)).not.toBeInTheDocument();
  });

  it('keep the amount that another device gives them while another card is chosen here', async () => {
    FakeStream.install();
    try {
      const { person, server } = await open([MONTHLY], {
        'GET /api/payment-methods': [VISA],
        [CHANGE]: { ...MONTHLY, amount: '5.00', notice: null },
      });
      await FakeStream.stands();
      await person.click(screen.getByRole('button', { name: 'Edit the subscription to Odalys Ferrante' }));
      const form = within(await screen.findByRole('dialog', { name: 'Edit Subscription' }));
      await person.click(await form.findByRole('radio', { name: /This card alone/ }));
      server.answers['GET /api/subscriptions'] = [{ ...MONTHLY, amount: '5.00' }];
      await FakeStream.last.says({ topics: ['subscriptions'] });
      await waitFor(() => expect(form.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('5.00'));
      await person.click(form.getByRole('button', { name: 'Save Changes' }));
      await toast('Subscription Changed');
      expect(server.calls(CHANGE)).toEqual([{ source: { from: 'card', cardId: 'crd_a' } }]);
    } finally {
      FakeStream.remove();
    }
  });

  it('whose payment failed say which card is charged, and where it is changed', async () => {
    await open([{ ...MONTHLY, lastFailureReason: 'Your card was declined.' }], {
      'GET /api/payment-methods': [
        { id: 'crd_a', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true },
      ],
    });
    expect(await screen.findByText('Paid from your balance, or else by Visa ••••4242.')).toBeVisible();
  });

  it('that stand still say why, and name no next day', async () => {
    await open([{ ...MONTHLY, standsStill: 'This stands still: a record of it cannot be read.' }]);
    expect(screen.getByText('This stands still: a record of it cannot be read.')).toBeVisible();
    expect(screen.queryByText(/^Next /)).not.toBeInTheDocument();
  });

  it('whose recipient is closing their account say so, and name no next day', async () => {
    const heldBecause = 'They are closing their account. What falls due meanwhile is not charged.';
    await open([{ ...MONTHLY, heldBecause }]);
    expect(screen.getByText(heldBecause)).toBeVisible();
    expect(screen.queryByText(/^Next /)).not.toBeInTheDocument();
  });

  const TO_CONFIRM = {
    ...MONTHLY,
    needsConfirmation: true,
    confirmPaymentId: 'pay_1',
    confirmBy: '2026-11-22T12:00:00.000Z',
  };

  it('whose payment the bank asks about say until when, and lead to its checkout', async () => {
    await open([TO_CONFIRM]);
    expect(screen.getByText(/Your bank wants you to confirm this payment by Nov 22, 2026/)).toBeVisible();
    expect(screen.getByRole('link', { name: 'Confirm Payment to Odalys Ferrante' })).toHaveAttribute(
      'href',
      '/checkout?paymentId=pay_1',
    );
  });

  it('that are none invite to one; the form calls what is missing an error', async () => {
    const { person, server } = await open([]);
    expect(screen.getByText('No subscriptions yet')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'New Subscription' }));
    const form = within(await screen.findByRole('dialog', { name: 'New Subscription' }));
    await person.click(form.getByRole('button', { name: 'Create Subscription' }));
    await toast('Error', 'Please fill in all required fields');
    await waitFor(() => expect(form.getByText('Choose who you want to pay.')).toBeVisible());
    expect(form.getByText('Enter an amount.')).toBeVisible();
    expect(server.calls('POST /api/subscriptions')).toHaveLength(0);
  });

  it('are paid from what is chosen as they are created', async () => {
    const { person, server } = await open([], {
      'GET /api/users/odalys-1': { id: 'odalys-1', firstName: 'Odalys', lastName: '', username: 'odalys' },
      'GET /api/payment-methods': [VISA],
      'POST /api/subscriptions': MONTHLY,
    });
    await person.click(screen.getByRole('button', { name: 'New Subscription' }));
    const form = within(await screen.findByRole('dialog', { name: 'New Subscription' }));
    await person.click(form.getByRole('textbox', { name: 'User ID or email' }));
    await person.paste('odalys-1');
    await person.click(form.getByRole('button', { name: 'Search' }));
    await person.click(await form.findByRole('button', { name: /Odalys/ }));
    await person.click(form.getByRole('spinbutton', { name: 'Amount' }));
    await person.paste('7.5');
    const source = await form.findByLabelText('Paid from');
    expect(source).toHaveDisplayValue('Balance first, or else Visa ••••4242');
    await person.selectOptions(source, 'Visa ••••4242, this card alone');
    await person.click(form.getByRole('button', { name: 'Create Subscription' }));
    await waitFor(() =>
      expect(server.calls('POST /api/subscriptions')).toEqual([
        {
          toUserId: 'odalys-1',
          // The page of subscriptions sends the text as it was typed (spec.md §7).
          amount: '7.5',
          frequency: 'monthly',
          description: null,
          source: { from: 'card', cardId: VISA.id },
        },
      ]),
    );
  });

  it('are created in their form, which stays open with the sentence after a refusal, and closes after a success', async () => {
    const { person, server } = await open([], {
      'GET /api/users/odalys-1': {
        id: 'odalys-1',
        firstName: 'Odalys',
        lastName: 'Ferrante',
        username: 'odalys.aerial',
      },
      'POST /api/subscriptions': () => Response.json({}, { status: 500 }),
    });
    await person.click(screen.getByRole('button', { name: 'New Subscription' }));
    const form = within(await screen.findByRole('dialog', { name: 'New Subscription' }));
    await person.click(form.getByRole('textbox', { name: 'User ID or email' }));
    await person.paste('odalys-1');
    await person.click(form.getByRole('button', { name: 'Search' }));
    await person.click(await form.findByRole('button', { name: /Odalys Ferrante/ }));
    await person.click(form.getByRole('spinbutton', { name: 'Amount' }));
    await person.paste('0');
    const create = form.getByRole('button', { name: 'Create Subscription' });
    await person.click(create);
    await toast('Invalid Amount', 'Please enter a valid amount greater than 0');
    await waitFor(() => expect(form.getByRole('spinbutton', { name: 'Amount' })).toBeInvalid());
    await person.click(form.getByRole('button', { name: '$20' }));
    await person.click(form.getByRole('button', { name: 'Weekly' }));
    await person.click(create);
    await toast('Error', 'Failed to create subscription');
    expect(form.getByText('Failed to create subscription')).toBeVisible();
    expect(form.getByRole('button', { name: '$20' })).toHaveAttribute('aria-pressed', 'true');
    server.answers['POST /api/subscriptions'] = { ...MONTHLY, notice: null };
    const reads = server.calls('GET /api/subscriptions').length;
    await person.click(create);
    await toast('Subscription Created');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.calls('POST /api/subscriptions').at(-1)).toEqual({
      toUserId: 'odalys-1',
      // The page of subscriptions sends the text (spec.md §7).
      amount: '20.00',
      frequency: 'weekly',
      description: null,
    });
    await waitFor(() => expect(server.calls('GET /api/subscriptions').length).toBeGreaterThan(reads));
  });

  it('that are created once their form was closed close no form that was opened since', async () => {
    let answer: (created: unknown) => void = () => undefined;
    const { person } = await open([], {
      'GET /api/users/odalys-1': { id: 'odalys-1', firstName: 'Odalys', lastName: '', username: 'odalys' },
      'POST /api/subscriptions': () => new Promise((resolve) => (answer = resolve)),
    });
    const openForm = async () => {
      await person.click(screen.getByRole('button', { name: 'New Subscription' }));
      return within(await screen.findByRole('dialog', { name: 'New Subscription' }));
    };
    const form = await openForm();
    await person.click(form.getByRole('textbox', { name: 'User ID or email' }));
    await person.paste('odalys-1');
    await person.click(form.getByRole('button', { name: 'Search' }));
    await person.click(await form.findByRole('button', { name: /Odalys/ }));
    await person.click(form.getByRole('button', { name: '$20' }));
    await person.click(form.getByRole('button', { name: 'Create Subscription' }));
    await person.click(form.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    const next = await openForm();
    await person.click(next.getByRole('button', { name: '$50' }));
    await act(async () => answer({ ...MONTHLY, notice: null }));
    await toast('Subscription Created');
    expect(next.getByRole('button', { name: '$50' })).toHaveAttribute('aria-pressed', 'true');
    expect(screen.getByRole('dialog', { name: 'New Subscription' })).toBeVisible();
  });

  it('that cannot be read keep their heading', async () => {
    await open(refusal(500, 'No.'));
    expect(await screen.findByText('Your subscriptions could not be loaded.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Subscriptions' })).toBeVisible();
  });
});

describe('scheduled payments', () => {
  async function open(payments: unknown, answers: Record<string, unknown> = {}) {
    const server = answering({
      'GET /api/scheduled-payments': payments,
      'GET /api/subscriptions': [],
      ...answers,
    });
    const app = renderAt('/scheduled-payments');
    await screen.findByRole('heading', { name: 'Scheduled Payments' });
    await waitFor(() =>
      expect(screen.queryByLabelText('Loading your scheduled payments')).not.toBeInTheDocument(),
    );
    return { server, ...app };
  }
  const PATCH = 'PATCH /api/scheduled-payments/sch_1/status';

  it('are cancelled only while they are pending', async () => {
    const cancelled = { ...PLANNED, status: 'cancelled', notice: null };
    const { person, server } = await open([PLANNED, { ...PLANNED, id: 'sch_2', status: 'completed' }], {
      [PATCH]: cancelled,
    });
    const cancels = screen.getAllByRole('button', { name: /^Cancel the payment/ });
    expect(cancels).toHaveLength(1);
    server.answers['GET /api/scheduled-payments'] = [cancelled];
    await person.click(cancels[0]!);
    await person.click(await screen.findByRole('button', { name: 'Cancel Payment' }));
    await toast('Scheduled Payment Cancelled');
    expect(server.calls(PATCH)).toEqual([{ status: 'cancelled' }]);
  });

  it('that failed are given another date, and are paid now', async () => {
    const failed = {
      ...PLANNED,
      status: 'failed',
      lastFailureReason: 'Your card was declined.',
      failedDueAt: PLANNED.scheduledDate,
    };
    const CHANGE = 'PATCH /api/scheduled-payments/sch_1';
    const { person, server } = await open([failed], { [CHANGE]: { ...PLANNED, notice: null } });
    expect(screen.getByRole('button', { name: 'Pay Now to Odalys Ferrante' })).toBeVisible();
    expect(screen.queryByRole('button', { name: /^Cancel the payment/ })).not.toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: /^Edit the payment to Odalys Ferrante/ }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Scheduled Payment' }));
    await person.clear(form.getByLabelText('Date and time'));
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    await toast('Invalid Date', 'Please choose a date from tomorrow on');
    await person.click(form.getByLabelText('Date and time'));
    await person.paste('2031-01-05T20:00');
    await person.click(form.getByRole('button', { name: 'Save Changes' }));
    await toast('Scheduled Payment Changed');
    const sent = server.calls(CHANGE) as { scheduledDate: string }[];
    expect(sent).toHaveLength(1);
    expect(sent[0]!.scheduledDate).toMatch(/^2031-01-05T20:00:00[+-]\d\d:\d\d$/);
  });

  it('that cannot be cancelled say so', async () => {
    const { person } = await open([PLANNED], { [PATCH]: () => Response.json({}, { status: 500 }) });
    await person.click(screen.getByRole('button', { name: /^Cancel the payment/ }));
    await person.click(await screen.findByRole('button', { name: 'Cancel Payment' }));
    await toast('Error', 'Failed to update scheduled payment');
  });

  it('that cannot be created show the specified sentence, and the form keeps its values', async () => {
    const { person, server } = await open([], {
      'GET /api/users/odalys-1': {
        id: 'odalys-1',
        firstName: 'Odalys',
        lastName: 'Ferrante',
        username: 'odalys.aerial',
      },
      'POST /api/scheduled-payments': () => Response.json({}, { status: 500 }),
    });
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    const form = within(await screen.findByRole('dialog', { name: 'Schedule Payment' }));
    await person.click(form.getByRole('textbox', { name: 'User ID or email' }));
    await person.paste('odalys-1');
    await person.click(form.getByRole('button', { name: 'Search' }));
    await person.click(await form.findByRole('button', { name: /Odalys Ferrante/ }));
    await person.click(form.getByRole('button', { name: '$20' }));
    await person.click(form.getByLabelText('Date and time'));
    await person.paste('2030-12-24T20:00');
    await person.click(form.getByRole('button', { name: 'Schedule Payment' }));
    await toast('Error', 'Failed to create scheduled payment');
    expect(server.calls('POST /api/scheduled-payments')).toHaveLength(1);
    expect(form.getByLabelText('Date and time')).toHaveValue('2030-12-24T20:00');
  });

  it('need all of their fields', async () => {
    const { person } = await open([]);
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    const form = within(await screen.findByRole('dialog', { name: 'Schedule Payment' }));
    await person.click(form.getByRole('button', { name: 'Schedule Payment' }));
    await toast('Missing Information', 'Please fill in all required fields');
    expect(form.getByText('Choose a date.')).toBeVisible();
  });

  it('stand beside all that is due in the next 90 days', async () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    await open([{ ...PLANNED, scheduledDate: soon }], {
      'GET /api/subscriptions': [
        { ...MONTHLY, frequency: 'weekly', amount: '10.00', nextPaymentDate: soon, createdAt: soon },
      ],
    });
    const list = within(await screen.findByRole('list', { name: 'Upcoming payments' }));
    expect(list.getAllByRole('listitem')).toHaveLength(8);
    expect(screen.getByText('14 payments')).toBeVisible();
    expect(screen.getByText('$175.00')).toBeVisible();
  });
});
