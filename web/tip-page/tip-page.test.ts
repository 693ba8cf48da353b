/**
 * The public tip page's script, before a card provider of the suite: what is pressed, shown, and sent once.
 */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { tipPageHtml, type ScriptFacts } from '#ledger/tip-pages/page-html';
import { FRAME } from '../testing/tip-page-frame.js';

const FACTS: ScriptFacts = {
  handle: 'junoplays',
  userId: 'usr_juno',
  stripeKey: 'pk_test_x',
  stripeScript: 'data:text/javascript,',
  methods: ['card', 'cashapp'],
  isSignedIn: false,
  isPreview: false,
  isOwners: false,
};
const JUNO = {
  userId: 'usr_juno',
  handle: 'junoplays',
  name: 'Juno Valastro',
  shortName: 'Juno',
  line: 'plays the piano',
  isVerified: true,
  isListed: false,
  isPublished: true,
  pictureHash: undefined,
};
const AGAIN = /You tipped Juno this much a moment ago/;
const PAID = 'encore-tip-paid:junoplays';

interface WalletClick {
  readonly resolve: jest.Mock;
  readonly reject: jest.Mock;
}
/** What the wallet's sheet waits for once its payer has confirmed it. */
interface WalletConfirmation {
  readonly paymentFailed: jest.Mock;
}

/** What the card provider's script is to the page. */
class FakeProvider {
  readonly #listeners = new Map<string, (event: object) => void>();
  #cardListeners = new Map<string, (event: object) => void>();
  /**
   * What Cash App says once its page or its code was left; nothing ever where the browser left for its page.
   */
  cashApp: object | Promise<object> = { paymentIntent: { status: 'succeeded' } };
  /** The amount, in cents, that was told last. */
  drawnFor = 1000;
  /** The look at the card's fields, before anything is opened. */
  check: object | Promise<object> = {};
  /** What the provider says of a card, and of what the payer's bank asked for. */
  card: object | Promise<object> = { paymentIntent: { status: 'succeeded' } };
  bank: object = { paymentIntent: { status: 'succeeded' } };

  /**
   * What becomes of the card's fields once they are asked for; undefined: nothing, a blocker keeps them away.
   */
  fields: 'ready' | 'loaderror' | undefined = 'ready';

  readonly stripe = {
    elements: () => ({
      create: (kind: 'payment' | 'expressCheckout') => {
        const listeners = kind === 'payment' ? new Map<string, (event: object) => void>() : this.#listeners;
        if (kind === 'payment') this.#cardListeners = listeners;
        return {
          on: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
          mount: () => {
            if (kind === 'payment' && this.fields !== undefined) listeners.get(this.fields)?.({});
          },
          destroy: () => undefined,
        };
      },
      update: ({ amount = this.drawnFor }: { amount?: number }) => (this.drawnFor = amount),
      submit: async () => this.check,
    }),
    confirmCashappPayment: async () => this.cashApp,
    confirmPayment: async () => this.card,
    handleNextAction: () => Promise.resolve(this.bank),
  };

  /** The fields that were drawn last cannot be loaded after all. */
  cardFieldsFail(): void {
    this.#cardListeners.get('loaderror')?.({});
  }
  tapWallet(): WalletClick {
    const click = { resolve: jest.fn(), reject: jest.fn() };
    this.#listeners.get('click')?.(click);
    return click;
  }
  confirmWallet(): WalletConfirmation {
    const confirmation = { paymentFailed: jest.fn() };
    this.#listeners.get('confirm')?.(confirmation);
    return confirmation;
  }
  /** The sheet is gone, whatever was done in it. */
  dismissWallet(): void {
    this.#listeners.get('cancel')?.({});
  }
  /** What the provider says of the wallets of this phone. */
  saysOfWallets(availablePaymentMethods: object | undefined): void {
    this.#listeners.get('ready')?.({ availablePaymentMethods });
  }
  get isDrawn(): boolean {
    return this.#listeners.has('click');
  }
}

interface Sent {
  readonly path: string;
  readonly body: {
    readonly token: string;
    readonly insteadOf?: readonly string[];
    readonly keys?: readonly string[];
  };
  readonly key: string | undefined;
}
/** What is answered to whoever is signed in. */
const CARD = { id: 'crd_a', brand: 'visa', last4: '4242', isDefault: true };
const OWN: Record<string, object> = {};

let provider: FakeProvider;
let sent: Sent[];
let answer: () => Promise<Response>;

/** Lets the provider's script arrive that the page waits for now, or fail: no browser loads it here. */
function scriptEnds(how: 'load' | 'error'): void {
  for (const script of document.head.querySelectorAll('script')) {
    script.dispatchEvent(new Event(how));
    script.remove();
  }
}

/** Opens the page in this window, as a visit does; the card provider's script is still on its way. */
async function arrive(facts = FACTS): Promise<void> {
  const written = new DOMParser().parseFromString(tipPageHtml(FRAME, JUNO, facts, ''), 'text/html');
  document.body.innerHTML = written.body.innerHTML;
  jest.resetModules();
  await import('./tip-page.js');
  await waitFor(() => expect(document.head.querySelector('script')).not.toBeNull());
}
async function visit(facts = FACTS): Promise<void> {
  await arrive(facts);
  scriptEnds('load');
  await waitFor(() => expect(provider.isDrawn).toBe(true));
}

beforeEach(() => {
  sessionStorage.clear();
  OWN['/api/payment-methods'] = [CARD];
  OWN['/api/auth/user'] = { earnings: '0.00' };
  provider = new FakeProvider();
  sent = [];
  answer = () => Promise.resolve(Response.json({ clientSecret: 'pi_1_secret_x' }));
  document.head.replaceChildren();
  const matchMedia = () => ({ matches: false, addEventListener: () => undefined });
  const Stripe = () => provider.stripe;
  interface Init {
    readonly body?: string;
    readonly headers: object;
    readonly signal?: AbortSignal;
  }
  const fetch = (path: string, { body, headers, signal }: Init): Promise<Response> => {
    if (body === undefined) return Promise.resolve(Response.json(OWN[path]));
    const key = new Headers({ ...headers }).get('idempotency-key') ?? undefined;
    sent.push({ path, body: JSON.parse(body) as Sent['body'], key });
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('Aborted.', 'AbortError')));
      answer().then(resolve, reject);
    });
  };
  Object.assign(window, { matchMedia, Stripe });
  Object.assign(globalThis, { fetch });
});

describe('the form of a card', () => {
  it.each([
    ['waits for its fields', undefined, 'true'],
    ['waits no more once they are there', 'ready', 'false'],
  ] as const)('%s', async (_how, fields, isBusy) => {
    provider.fields = fields;
    await visit();
    const form = document.getElementById('card-form')!;
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await waitFor(() => expect(form).toHaveAttribute('aria-busy', isBusy));
    expect(form).toBeVisible();
  });
});

describe('the balance of whoever is signed in', () => {
  it('is offered for no more than it covers', async () => {
    OWN['/api/auth/user'] = { earnings: '12.50' };
    await visit({ ...FACTS, isSignedIn: true });
    await screen.findByRole('button', { name: 'Balance · $10.00' });
    await userEvent.click(screen.getByRole('radio', { name: '$20' }));
    await userEvent.click(screen.getByRole('button', { name: 'Balance is too low' }));
    expect(sent).toEqual([]);
    await userEvent.click(screen.getByRole('radio', { name: '$10' }));
    await userEvent.click(screen.getByRole('button', { name: 'Balance · $10.00' }));
    await waitFor(() => expect(sent.map(({ path }) => path)).toEqual(['/api/tips']));
  });
});

describe('a second tip', () => {
  it('is warned of in a tab that was open already when the first one was paid in another', async () => {
    await visit();
    expect(screen.getByText(AGAIN)).not.toBeVisible();
    localStorage.setItem(PAID, JSON.stringify({ minor: 1000, atMs: Date.now() }));
    window.dispatchEvent(new StorageEvent('storage', { key: PAID }));
    expect(screen.getByText(AGAIN)).toBeVisible();
  });

  it('is warned of where the browser shows the page again as it was left', async () => {
    await visit();
    localStorage.setItem(PAID, JSON.stringify({ minor: 1000, atMs: Date.now() }));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(screen.getByText(AGAIN)).toBeVisible();
  });
});

describe('a wallet', () => {
  it('does not open while another payment is under way', async () => {
    await visit();
    let respond: (response: Response) => void = () => undefined;
    answer = () => new Promise((resolve) => (respond = resolve));
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    expect(provider.tapWallet().reject).toHaveBeenCalled();
    respond(Response.json({ message: 'No.' }, { status: 422 }));
    await screen.findByText('No.');
    expect(provider.tapWallet().resolve).toHaveBeenCalled();
  });

  it('charges what its sheet showed: another amount, chosen beside an open sheet, is refused', async () => {
    await visit();
    expect(provider.tapWallet().resolve).toHaveBeenCalled();
    // A desktop shows the sheet in a window of its own.
    await userEvent.click(screen.getByRole('radio', { name: '$50' }));
    expect(provider.confirmWallet().paymentFailed).toHaveBeenCalledTimes(1);
    await screen.findByText(/^The amount was changed/);
    expect(sent).toEqual([]);
  });

  it('charges what was pressed, also where another amount is chosen before it is sent', async () => {
    await visit();
    let check: (checked: object) => void = () => undefined;
    provider.check = new Promise((resolve) => (check = resolve));
    provider.tapWallet();
    provider.confirmWallet();
    await userEvent.click(screen.getByRole('radio', { name: '$50' }));
    expect(provider.drawnFor).toBe(1000);
    provider.card = { error: { type: 'card_error', message: 'Declined.' } };
    check({});
    await screen.findByText('Declined. You were not charged.');
    expect(sent.map(({ body }) => body)).toEqual([expect.objectContaining({ amount: '10.00' })]);
    // The next press pays what is chosen.
    expect(provider.drawnFor).toBe(5000);
  });

  it('says that nobody was charged where its sheet was dismissed, but not once that was confirmed', async () => {
    const canceled = /^Canceled\. You were not charged\.$/;
    await visit();
    provider.tapWallet();
    provider.dismissWallet();
    await screen.findByText(canceled);
    provider.card = new Promise(() => undefined);
    provider.tapWallet();
    provider.confirmWallet();
    await waitFor(() => expect(sent).toHaveLength(1));
    provider.dismissWallet();
    expect(screen.queryByText(canceled)).toBeNull();
  });

  it('says nothing of a dismissed sheet while nobody knows what became of the one before', async () => {
    await visit();
    provider.card = { error: { type: 'api_connection_error', message: 'No connection.' } };
    provider.tapWallet();
    provider.confirmWallet();
    await screen.findByText(/The answer did not arrive/);
    provider.tapWallet();
    provider.dismissWallet();
    expect(screen.queryByText(/^Canceled/)).toBeNull();
  });

  it('is told that it paid nothing while another payment is under way, and where the provider broke', async () => {
    await visit();
    provider.tapWallet();
    answer = () => new Promise(() => undefined);
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    expect(provider.confirmWallet().paymentFailed).toHaveBeenCalledTimes(1);
    expect(sent).toHaveLength(1);

    await visit();
    answer = () => Promise.resolve(Response.json({ clientSecret: 'pi_1_secret_x' }));
    provider.card = Promise.reject(new Error('elements.submit() must be called before.'));
    provider.tapWallet();
    const { paymentFailed } = provider.confirmWallet();
    await waitFor(() => expect(paymentFailed).toHaveBeenCalledTimes(1));
    await screen.findByText(/The answer did not arrive/);
  });
});

describe('the card provider’s script', () => {
  it('is asked for anew by the next press where it did not arrive', async () => {
    provider.cashApp = { paymentIntent: { status: 'requires_action' } };
    await arrive();
    scriptEnds('error');
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    scriptEnds('error');
    await screen.findByText('The card form could not be opened. Try again.');
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    scriptEnds('load');
    await waitFor(() => expect(sent).toHaveLength(1));
    // What the phone has is offered then, too.
    await waitFor(() => expect(provider.isDrawn).toBe(true));
  });

  it('is waited for in words, as long as it takes', async () => {
    await arrive();
    const words = 'One moment: what the payment needs is still being loaded.';
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await screen.findByText(words);
    scriptEnds('load');
    await waitFor(() => expect(screen.queryByText(words)).toBeNull());
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
  });

  it('whose card fields do not come sends nothing, and says so', async () => {
    await visit();
    provider.fields = undefined;
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    await screen.findByText('The card’s fields have not loaded yet. Wait a moment, or pay another way.');
    expect(sent).toEqual([]);
    // The buttons are not off for ever.
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
  });

  it('whose card fields failed leads back to the other ways, and opens them anew', async () => {
    await visit();
    provider.fields = 'loaderror';
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await screen.findByText('The card form could not be opened. Try again.');
    provider.fields = 'ready';
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    await waitFor(() => expect(sent).toHaveLength(1));
  });

  it('leaves no room for wallets where the phone has none, also after the card form', async () => {
    await visit();
    const room = document.getElementById('wallets');
    provider.saysOfWallets(undefined);
    expect(room).not.toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    expect(room).not.toBeVisible();
    provider.saysOfWallets({ googlePay: true });
    expect(room).toBeVisible();
  });
});

describe('Cash App', () => {
  it('whose page was left by going back can be opened again, and is the same payment', async () => {
    provider.cashApp = new Promise(() => undefined);
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it('whose page was left by going back finds the form as it was, where the page had to be loaded anew', async () => {
    provider.cashApp = new Promise(() => undefined);
    await visit();
    await userEvent.click(screen.getByRole('radio', { name: 'Other' }));
    await userEvent.type(screen.getByLabelText('Amount in dollars'), '7');
    await userEvent.type(screen.getByLabelText('Note'), 'For the last song');
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    await visit();
    expect(screen.getByLabelText('Amount in dollars')).toHaveValue('7');
    expect(screen.getByLabelText('Note')).toHaveValue('For the last song');
  });

  it('that was closed without an answer has paid nothing, and leads to no receipt', async () => {
    provider.cashApp = { paymentIntent: { status: 'requires_action' } };
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await screen.findByText('The payment is not complete. Try again, or pay another way.');
  });
});

describe('a connection that is lost', () => {
  const LOST = { error: { type: 'api_connection_error', message: 'No connection.' } };
  const WORDS = /press again: you are not charged twice\.$/;
  const keys = () => new Set(sent.map(({ key }) => key)).size;
  /** Opens the page and pays by card; what came of it is not known. */
  const payInVain = async (): Promise<void> => {
    provider.card = LOST;
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    await screen.findByText(WORDS);
  };

  it('is what half a minute without an answer is: the buttons are not off for ever', async () => {
    await visit();
    answer = () => new Promise(() => undefined);
    const cashApp = screen.getByRole('button', { name: 'Cash App' });
    jest.useFakeTimers();
    cashApp.click();
    await jest.advanceTimersByTimeAsync(29_000);
    expect(sent).toHaveLength(1);
    expect(cashApp).toBeDisabled();
    await jest.advanceTimersByTimeAsync(1_000);
    jest.useRealTimers();
    expect(cashApp).toBeEnabled();
    expect(screen.getByText(WORDS)).toBeVisible();
  });

  it('while a card pays is no end of the payment: the next press leads to its receipt', async () => {
    await payInVain();
    // It was paid after all. This browser can go nowhere, and says so.
    const left = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    provider.card = {
      error: {
        type: 'invalid_request_error',
        message: 'You cannot confirm this PaymentIntent because it has already succeeded.',
        payment_intent: { status: 'succeeded' },
      },
    };
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(keys()).toBe(1);
    await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
    left.mockRestore();
    expect(screen.queryByText(/already succeeded/)).toBeNull();
  });

  it('is no reason to pay twice: another way takes the place of what may have been paid', async () => {
    await payInVain();
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    provider.cashApp = { paymentIntent: { status: 'requires_action' } };
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent.map(({ body }) => body.insteadOf)).toEqual([[], [sent[0]?.key]]);
    // The same press is the same payment, and says the same of it.
    await waitFor(() => expect(screen.getByRole('button', { name: 'Cash App' })).toBeEnabled());
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(3));
    expect(sent[2]).toEqual(sent[1]);
  });

  it('leads to the receipt of what was paid after all, and begins anew from there', async () => {
    const left = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await payInVain();
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    answer = () => Promise.resolve(Response.json({ code: 'earlier-payment-stands' }, { status: 409 }));
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    // This browser can go nowhere, and says so.
    await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
    left.mockRestore();
    expect(sessionStorage.getItem('encore-tip:junoplays')).toBeNull();
  });

  it.each(['the same button', 'another amount'])(
    'leads to the receipt where the page was taken back meanwhile: %s does not say that nothing was paid',
    async (pressed) => {
      const left = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      await payInVain();
      const message = 'This tip page is not open any more. Nothing was paid.';
      answer = () => Promise.resolve(Response.json({ message }, { status: 404 }));
      if (pressed === 'another amount') await userEvent.click(screen.getByRole('radio', { name: '$50' }));
      await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
      await waitFor(() => expect(sent).toHaveLength(2));
      // This browser can go nowhere, and says so.
      await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
      left.mockRestore();
      expect(screen.queryByText(message)).toBeNull();
    },
  );

  it('is still told of where another tab keeps something', async () => {
    provider.card = LOST;
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    const told = await screen.findByText(WORDS);
    window.dispatchEvent(new StorageEvent('storage', { key: 'encore.balance' }));
    expect(told).toBeVisible();
    expect(told).toHaveTextContent(WORDS);
  });

  it('while a guest pays is no reason to pay by a saved card without a question', async () => {
    const asked = jest.spyOn(window, 'confirm').mockReturnValue(false);
    provider.card = LOST;
    await visit({ ...FACTS, isSignedIn: true });
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: /^Pay \$/ }));
    await screen.findByText(WORDS);
    await userEvent.click(await screen.findByRole('button', { name: /Visa ••4242/ }));
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    expect(sent).toHaveLength(1);
    asked.mockRestore();
  });

  it('while a saved card pays is no reason to pay as a guest without a question', async () => {
    const asked = jest.spyOn(window, 'confirm').mockReturnValue(false);
    await visit({ ...FACTS, isSignedIn: true });
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    await userEvent.click(await screen.findByRole('button', { name: /Visa ••4242/ }));
    await screen.findByText(WORDS);
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    expect(sent).toHaveLength(1);
    asked.mockRestore();
  });

  it.each([502, 503])(
    'is what an answer %i of a saved card is, too: nobody knows what became of it',
    async (status) => {
      const asked = jest.spyOn(window, 'confirm').mockReturnValue(false);
      await visit({ ...FACTS, isSignedIn: true });
      answer = () => Promise.resolve(Response.json({ message: 'Please try again.' }, { status }));
      const visa = await screen.findByRole('button', { name: /Visa ••4242/ });
      await userEvent.click(visa);
      await screen.findByText(/^We cannot tell yet whether you were charged\. Press again/);
      await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
      await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
      await userEvent.click(visa);
      await waitFor(() => expect(sent).toHaveLength(2));
      expect(keys()).toBe(1);
      asked.mockRestore();
    },
  );

  it('while a saved card pays is not denied where the session has ended meanwhile', async () => {
    await visit({ ...FACTS, isSignedIn: true });
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    const visa = await screen.findByRole('button', { name: /Visa ••4242/ });
    await userEvent.click(visa);
    await screen.findByText(WORDS);
    answer = () => Promise.resolve(Response.json({ message: 'Unauthorized' }, { status: 401 }));
    await userEvent.click(visa);
    await screen.findByText(/^You are signed out now/);
    expect(screen.queryByText(/nothing was paid/i)).toBeNull();
    screen.getByRole('button', { name: 'Sign in again' });
  });

  it('while a saved card pays is not denied where the next press was not confirmed', async () => {
    await visit({ ...FACTS, isSignedIn: true });
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    const visa = await screen.findByRole('button', { name: /Visa ••4242/ });
    await userEvent.click(visa);
    await screen.findByText(WORDS);
    answer = () =>
      Promise.resolve(
        sent.at(-1)!.path === '/api/tips'
          ? Response.json({ code: 'passkey_required' }, { status: 403 })
          : Response.json({}),
      );
    await userEvent.click(visa);
    await screen.findByText(/^You did not confirm this/);
    expect(screen.queryByText(/nothing was paid/i)).toBeNull();
  });

  it('to the server leaves open what was pressed before, so the next payment takes the place of both', async () => {
    provider.cashApp = { paymentIntent: { status: 'requires_action' } };
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    answer = () => Promise.resolve(Response.json({ message: 'Try again in a moment.' }, { status: 503 }));
    const cashApp = screen.getByRole('button', { name: 'Cash App' });
    for (const amount of ['$20', '$50']) {
      await waitFor(() => expect(cashApp).toBeEnabled());
      await userEvent.click(screen.getByRole('radio', { name: amount }));
      await userEvent.click(cashApp);
      await screen.findByText('Try again in a moment.');
    }
    await waitFor(() => expect(sent).toHaveLength(3));
    const [first, second, third] = sent;
    expect(second?.body.insteadOf).toEqual([first?.key]);
    expect(third?.body.insteadOf).toEqual([first?.key, second?.key]);
  });

  it('is no payment by a saved card that its bank refused', async () => {
    provider.bank = { paymentIntent: { status: 'requires_payment_method' } };
    await visit({ ...FACTS, isSignedIn: true });
    answer = () =>
      Promise.resolve(
        Response.json({ id: 'pay_1', status: 'action_required', clientSecret: 'pi_1_secret_x' }),
      );
    await userEvent.click(await screen.findByRole('button', { name: /Visa ••4242/ }));
    await screen.findByText('The payment did not go through. Pay another way.');
  });

  it.each([
    ['lost', LOST],
    ['not given', { paymentIntent: { status: 'requires_action' } }],
  ])('at the payer’s bank, its answer %s, leaves the saved card with the same payment', async (_, bank) => {
    provider.bank = bank;
    await visit({ ...FACTS, isSignedIn: true });
    answer = () =>
      Promise.resolve(
        Response.json({ id: 'pay_1', status: 'action_required', clientSecret: 'pi_1_secret_x' }),
      );
    const visa = await screen.findByRole('button', { name: /Visa ••4242/ });
    for (const presses of [1, 2]) {
      await userEvent.click(visa);
      await waitFor(() => expect(sent).toHaveLength(presses));
      await screen.findByText(WORDS);
    }
    expect(keys()).toBe(1);
  });
});

describe('what was left open as a guest', () => {
  const leftCashApp = async (): Promise<HTMLElement> => {
    provider.cashApp = { paymentIntent: { status: 'requires_action' } };
    await visit({ ...FACTS, isSignedIn: true });
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await screen.findByText(/The payment is not complete/);
    return screen.findByRole('button', { name: /Visa ••4242/ });
  };

  it('is ended before a saved card pays, once', async () => {
    const visa = await leftCashApp();
    const [left] = sent;
    answer = () =>
      Promise.resolve(
        sent.at(-1)!.path.endsWith('/end')
          ? new Response(null, { status: 204 })
          : Response.json({ message: 'Declined.' }, { status: 402 }),
      );
    await userEvent.click(visa);
    await screen.findByText('Declined.');
    await userEvent.click(visa);
    await waitFor(() => expect(sent).toHaveLength(4));
    expect(sent.slice(1).map(({ path }) => path)).toEqual([
      `/@junoplays/paid/${left!.body.token}/end`,
      '/api/tips',
      '/api/tips',
    ]);
    expect(sent[1]?.body.keys).toEqual([left?.key]);
  });

  it('keeps a saved card from paying where it cannot be ended', async () => {
    const visa = await leftCashApp();
    answer = () => Promise.resolve(Response.json({ message: 'Try again in a moment.' }, { status: 503 }));
    await userEvent.click(visa);
    await screen.findByText('Try again in a moment.');
    expect(sent.some(({ path }) => path === '/api/tips')).toBe(false);
  });
});

describe('an attempt that the page of before has kept', () => {
  it('is gone on with, whose place it takes included', async () => {
    const kept = { token: 'w'.repeat(22), key: 'key-2', body: 'another body', insteadOf: 'key-1' };
    sessionStorage.setItem('encore-tip:junoplays', JSON.stringify(kept));
    await visit();
    await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.body).toMatchObject({ token: kept.token, insteadOf: ['key-1', 'key-2'] });
  });
});

describe('a choice that the browser brings back', () => {
  it('after the page was loaded is what its buttons say and what is charged', async () => {
    await visit();
    // No event is sent for it.
    screen.getByRole<HTMLInputElement>('radio', { name: '$20' }).checked = true;
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: 'Pay $20.00' }));
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ amount: '20.00' }));
  });
});

describe('the keyboard', () => {
  it('stays where it is, though the card’s fields fail after they were left', async () => {
    await visit();
    provider.fields = undefined;
    await userEvent.click(screen.getByRole('button', { name: 'Card' }));
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    await userEvent.type(screen.getByLabelText('Note'), 'Encore');
    provider.cardFieldsFail();
    expect(screen.getByLabelText('Note')).toHaveFocus();
  });

  it('is in the card form once that opens, and back at its button once it closes', async () => {
    await visit();
    const card = screen.getByRole('button', { name: 'Card' });
    card.focus();
    await userEvent.keyboard('{Enter}');
    expect(screen.getByRole('group', { name: 'Card' })).toHaveFocus();
    await userEvent.click(screen.getByRole('button', { name: 'Pay another way' }));
    expect(card).toHaveFocus();
  });
});

describe('a guest who was forgotten', () => {
  it('is a new one at the next press', async () => {
    await visit();
    const message = 'You asked to be forgotten here.';
    answer = () => Promise.resolve(Response.json({ message }, { status: 410 }));
    for (const presses of [1, 2]) {
      await userEvent.click(screen.getByRole('button', { name: 'Cash App' }));
      await waitFor(() => expect(sent).toHaveLength(presses));
      await screen.findByText(message);
    }
    expect(new Set(sent.map(({ body }) => body.token)).size).toBe(2);
  });
});
