/**
 * The script of the public tip page: choosing an amount, paying it, and waiting for the receipt. It stands in the page
 * itself and knows nothing of the app. The card provider's script is loaded once the page is there; nothing is opened
 * before the visitor presses a button that pays.
 */
import type {
  Appearance,
  PaymentIntent,
  Stripe,
  StripeElements,
  StripeExpressCheckoutElement,
  StripeExpressCheckoutElementConfirmEvent,
} from '@stripe/stripe-js';
import { cardAmount } from '#contracts/plain/card-amount';
import { EARLIER_STANDS } from '#contracts/plain/earlier-payment';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { watchReceipt, type ReceiptFacts } from './receipt.js';
import { Attempts, type Attempt } from './attempts.js';
import { keepForm, keptForm, wasTipped, type FormDraft } from './draft.js';
import { offerOwn, type TipForm } from './own.js';
import {
  found,
  inputOf,
  isPaid,
  loadFont,
  LOST,
  post,
  reasonOf,
  type Refused,
  show,
  watchOutage,
} from './page.js';

interface TipFacts {
  readonly handle: string;
  readonly userId: string;
  readonly stripeKey: string;
  readonly stripeScript: string;
  readonly methods: readonly string[];
  readonly isSignedIn: boolean;
  readonly isPreview: boolean;
}

const CURRENCY = 'usd';
const LOADING = 'One moment: what the payment needs is still being loaded.';
const NOT_COMPLETE = 'The payment is not complete. Try again, or pay another way.';
const NO_FIELDS_YET = 'The card’s fields have not loaded yet. Wait a moment, or pay another way.';
const NO_FORM = 'The card form could not be opened. Try again.';
const UNDER_WAY = 'Another payment is under way. Wait for it, then press the button again.';
const OTHER_AMOUNT =
  'The amount was changed while the wallet was open. You were not charged: press its button again.';
const DARK = matchMedia('(prefers-color-scheme: dark)');

function tipPage(facts: TipFacts): void {
  const { handle } = facts;
  const attempts = new Attempts(handle);
  const presets = [...document.querySelectorAll<HTMLInputElement>('input[name=preset]')];
  const amount = inputOf('amount');
  const anonymous = inputOf('anonymous');
  const name = inputOf('name');
  const note = inputOf('note');
  const problem = found('problem');
  const status = found('status');
  let isBusy = false;
  /** What the wallet's sheet asks to pay while it is open. A desktop shows it in a window beside this page. */
  let sheetMinor: number | undefined;
  let wallets: StripeElements | undefined;
  let card: StripeElements | undefined;
  let stripe: Promise<Stripe> | undefined;
  let isCardOpen = false;
  /** Its fields are there: before that nothing can be typed, and the provider would be waited for without an end. */
  let isCardReady = false;
  /** Undefined until the provider has said so: their room is kept. */
  let hasWallets: boolean | undefined;

  const fail = (sentence: string): void => {
    problem.textContent = sentence;
    problem.hidden = sentence === '';
  };

  const tell = (sentence: string): void => {
    status.textContent = sentence;
  };
  const chosen = (): HTMLInputElement | undefined => presets.find(({ checked }) => checked);

  /** The chosen amount in minor units; undefined while what is typed is none. Shown = charged. */
  function chosenMinor(isToBeTold = false): number | undefined {
    const preset = chosen()?.value ?? 'other';
    const read = cardAmount(preset === 'other' ? amount.value : preset);
    const told = found('amount-problem');
    const isWrong = 'sentence' in read && preset === 'other' && (isToBeTold || amount.value.trim() !== '');
    amount.setAttribute('aria-invalid', String(isWrong));
    told.textContent = isWrong && 'sentence' in read ? read.sentence : '';
    return 'minor' in read ? read.minor : undefined;
  }

  /** Buttons say what they charge. */
  function changed(): void {
    const isOther = chosen()?.value === 'other';
    show(found('other'), isOther);
    name.disabled = anonymous.checked;
    // An account pays under its own name.
    show(found('own'), !anonymous.checked);
    const minor = chosenMinor();
    found('pay-card').textContent = minor === undefined ? 'Pay' : `Pay ${dollarsFromMinor(minor)}`;
    for (const button of document.querySelectorAll<HTMLElement>('[data-own]'))
      button.textContent =
        minor === undefined ? button.dataset.own! : `${button.dataset.own!} · ${dollarsFromMinor(minor)}`;
    if (minor !== undefined) for (const group of [wallets, card]) void group?.update({ amount: minor });
    show(found('again'), minor !== undefined && wasTipped(handle, minor));
    fail('');
  }

  function bodyOf(method: string): string | undefined {
    const minor = chosenMinor(true);
    if (minor === undefined) {
      amount.focus();
      return undefined;
    }
    const from = anonymous.checked ? undefined : name.value.trim() || undefined;
    return JSON.stringify({
      amount: decimalFromMinor(minor),
      method,
      note: note.value.trim() || undefined,
      name: from,
    });
  }

  const receiptOf = ({ token }: Attempt): string => `/@${handle}/paid/${token}`;
  const leaveFor = (receipt: string): void => {
    attempts.leave();
    location.assign(receipt);
  };
  // As the card provider says it where it leads back itself.
  const finished = (attempt: Attempt): void => leaveFor(`${receiptOf(attempt)}?redirect_status=succeeded`);

  /** Opens the payment. Answers its secret, or undefined with the reason on the screen. */
  async function open(method: string): Promise<{ attempt: Attempt; clientSecret: string } | undefined> {
    const body = bodyOf(method);
    if (body === undefined || !attempts.mayPay(body, false)) return undefined;
    const attempt = attempts.for(body);
    const path = `/@${handle}/payments`;
    const answer = await post(
      path,
      { ...JSON.parse(body), token: attempt.token, insteadOf: attempt.insteadOf },
      { [IDEMPOTENCY_KEY_HEADER]: attempt.key },
    );
    if (answer === undefined) fail(LOST);
    else if (!answer.ok) {
      if (answer.body.code === EARLIER_STANDS) leaveFor(receiptOf(attempt));
      // The key is spent: the next press is a new payment, and one of a new guest where this one was forgotten.
      if (answer.status === 409 || answer.status === 422) attempts.spend(attempt);
      else if (answer.status === 410) attempts.forget();
      fail(answer.message);
    } else {
      attempts.othersEnded(attempt);
      return { attempt, clientSecret: String(answer.body.clientSecret) };
    }
    return undefined;
  }

  /** Ends what was left open as a guest before an account pays; false, with the reason on the screen, where it stands. */
  async function endEarlier(body: string): Promise<boolean> {
    const attempt = attempts.for(body);
    const { insteadOf: keys, isAlone } = attempt;
    if (isAlone || keys.length === 0) return true;
    const answer = await post(`${receiptOf(attempt)}/end`, { keys });
    if (answer?.ok) {
      attempts.othersEnded(attempt);
      return true;
    }
    if (answer?.body.code === EARLIER_STANDS) leaveFor(receiptOf(attempt));
    fail(answer?.message ?? LOST);
    return false;
  }

  async function busy(work: () => Promise<void>): Promise<void> {
    if (isBusy || facts.isPreview) return;
    const pressed = document.activeElement;
    setBusy(true);
    fail('');
    tell('');
    try {
      await work();
    } catch {
      fail(LOST);
    } finally {
      setBusy(false);
      // A button that is disabled loses the focus.
      if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus();
    }
  }
  function setBusy(is: boolean): void {
    isBusy = is;
    for (const button of document.querySelectorAll<HTMLButtonElement>('#pay button')) button.disabled = is;
  }

  const confirmWith = async (
    provider: Stripe,
    elements: StripeElements,
    opened: { attempt: Attempt; clientSecret: string },
  ): Promise<string | undefined> => {
    const { error, paymentIntent } = await provider.confirmPayment({
      elements,
      clientSecret: opened.clientSecret,
      confirmParams: { return_url: new URL(receiptOf(opened.attempt), location.href).href },
      redirect: 'if_required',
    });
    attempts.answered();
    if (error?.type === 'card_error')
      return `${error.message ?? 'The card was declined.'} You were not charged.`;
    return finish(opened.attempt, paymentIntent, error, 'The payment did not go through. Try another card.');
  };

  /**
   * Leaves for the receipt of what is paid or on its way, also by a press whose answer was lost; answers why it is
   * neither.
   */
  function finish(
    attempt: Attempt,
    intent: PaymentIntent | undefined,
    error: Refused | undefined,
    otherwise: string,
  ): string | undefined {
    if (isPaid(intent ?? error?.payment_intent)) {
      finished(attempt);
      return undefined;
    }
    const refused = error ? (reasonOf(error) ?? otherwise) : NOT_COMPLETE;
    if (refused === LOST) attempts.unanswered(attempt.body, false);
    else attempts.answered();
    return refused;
  }

  const options = (): { mode: 'payment'; amount: number; currency: string; appearance: Appearance } => ({
    mode: 'payment',
    amount: chosenMinor() ?? 1000,
    currency: CURRENCY,
    appearance: appearance(),
  });

  /** The card provider's script. Where it did not arrive, the next press asks for it anew. */
  function askProvider(): Promise<Stripe> {
    stripe ??= loadStripe(facts).then(
      (provider) => {
        offerWallets(provider);
        return provider;
      },
      (failure: unknown) => {
        stripe = undefined;
        offersWallets(false);
        throw failure;
      },
    );
    return stripe;
  }
  /** The same for a press, which waits for it in words. */
  async function provider(): Promise<Stripe> {
    tell(LOADING);
    try {
      return await askProvider();
    } finally {
      tell('');
    }
  }

  function offersWallets(has = hasWallets): void {
    hasWallets = has;
    show(found('wallets'), !isCardOpen && has !== false);
  }

  /** The wallets of this phone, as the card provider draws them; their place stays empty where there are none. */
  function offerWallets(provider: Stripe): void {
    wallets = provider.elements({ ...options(), allowedPaymentMethodTypes: ['card'] });
    let drawn = drawWallets(provider, wallets);
    DARK.addEventListener('change', () => {
      for (const group of [wallets, card]) void group?.update({ appearance: appearance() });
      // The provider's button keeps its colour, so it is drawn anew; not under a phone's sheet that is open.
      if (isBusy || sheetMinor !== undefined || !wallets) return;
      drawn.destroy();
      drawn = drawWallets(provider, wallets);
    });
  }

  function drawWallets(provider: Stripe, group: StripeElements): StripeExpressCheckoutElement {
    const element = group.create('expressCheckout', { buttonHeight: 55, buttonTheme: walletTheme() });
    element.on('ready', ({ availablePaymentMethods }) => offersWallets(!!availablePaymentMethods));
    element.on('loaderror', () => offersWallets(false));
    element.on('click', (event) => {
      // The provider's own button is not among those that are disabled meanwhile.
      const minor = isBusy || facts.isPreview ? undefined : chosenMinor(true);
      if (minor === undefined) event.reject?.();
      else {
        sheetMinor = minor;
        event.resolve();
      }
    });
    element.on('cancel', () => {
      // A sheet may also be dismissed after it was confirmed: then a payment is under way, or nobody knows what became of it.
      if (sheetMinor !== undefined && !attempts.isOneUnanswered) tell('Canceled. You were not charged.');
      sheetMinor = undefined;
    });
    element.on('confirm', (event) => sheetConfirmed(provider, event));
    element.mount('#wallets');
    return element;
  }
  /** Pays what the sheet showed. It waits for an answer, whatever became of that. */
  async function sheetConfirmed(
    provider: Stripe,
    event: StripeExpressCheckoutElementConfirmEvent,
  ): Promise<void> {
    const isOther = sheetMinor !== chosenMinor();
    sheetMinor = undefined;
    let refused: string | undefined = isBusy ? UNDER_WAY : isOther ? OTHER_AMOUNT : LOST;
    if (refused === LOST)
      await busy(async () => {
        refused = await payByWallet(provider);
      });
    if (refused === undefined) return;
    event.paymentFailed({ reason: 'fail' });
    fail(refused);
  }
  async function payByWallet(provider: Stripe): Promise<string | undefined> {
    const { error } = await wallets!.submit();
    if (error) return error.message ?? LOST;
    const opened = await open('card');
    return opened ? confirmWith(provider, wallets!, opened) : (problem.textContent ?? LOST);
  }

  async function payByCashApp(): Promise<void> {
    const stripeNow = await provider();
    const opened = await open('cashapp');
    if (opened === undefined) return;
    const { error, paymentIntent } = await stripeNow.confirmCashappPayment(opened.clientSecret, {
      payment_method: {},
      return_url: new URL(receiptOf(opened.attempt), location.href).href,
    });
    // Its code on a desktop can be closed, which is no error.
    const otherwise = 'Cash App could not be opened. Try again, or pay another way.';
    fail(finish(opened.attempt, paymentIntent, error, otherwise) ?? '');
  }

  function showCardForm(isOpen: boolean): void {
    isCardOpen = isOpen;
    show(found('card-form'), isOpen);
    show(found('methods'), !isOpen);
    offersWallets();
  }
  async function openCardForm(): Promise<void> {
    showCardForm(true);
    // The button that had the focus is hidden now.
    found('card-form').focus();
    if (card) return;
    const group = (await provider()).elements({ ...options(), allowedPaymentMethodTypes: ['card'] });
    // Another press may have waited for the same script.
    if (card) return;
    card = group;
    const fields = card.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } });
    fields.on('ready', () => {
      isCardReady = true;
    });
    fields.on('loaderror', () => {
      fields.destroy();
      [card, isCardReady] = [undefined, false];
      closeCardForm();
      fail(NO_FORM);
    });
    fields.mount('#card-fields');
  }
  function closeCardForm(): void {
    showCardForm(false);
    found('card').focus();
    fail('');
  }
  async function payByCard(): Promise<void> {
    // The fields have not arrived: there is nothing to pay with yet.
    if (!card) return openCardForm();
    if (!isCardReady) return fail(NO_FIELDS_YET);
    const stripeNow = await provider();
    const { error } = await card.submit();
    if (error) return fail(error.message ?? 'Check the card’s details.');
    const opened = await open('card');
    if (opened) fail((await confirmWith(stripeNow, card, opened)) ?? '');
  }

  const ownForm: TipForm = {
    handle,
    userId: facts.userId,
    tip: () => {
      const body = bodyOf('card');
      return body === undefined ? undefined : (JSON.parse(body) as { amount: string; note?: string });
    },
    mayPay: async (body) => attempts.mayPay(body, true) && endEarlier(body),
    keyFor: (body) => attempts.for(body).key,
    lost: (body, sentence) => {
      attempts.unanswered(body, true);
      fail(sentence);
    },
    end: () => attempts.forget(),
    fail,
    tell,
    busy,
    stripe: provider,
    leave: (address) => {
      const preset = chosen()?.value ?? 'other';
      const draft: FormDraft = {
        preset,
        amount: amount.value,
        note: note.value,
        name: name.value,
        isAnonymous: anonymous.checked,
      };
      keepForm(handle, draft);
      location.assign(address);
    },
    changed,
  };
  /** What was filled in before somebody left for signing in. */
  function restore(): void {
    const draft = keptForm(handle);
    if (draft === undefined) return;
    for (const preset of presets) preset.checked = preset.value === draft.preset;
    [amount.value, note.value, name.value] = [draft.amount, draft.note, draft.name];
    anonymous.checked = draft.isAnonymous;
  }

  for (const input of [...presets, anonymous]) input.addEventListener('change', changed);
  // Another tab has paid meanwhile, or the browser shows this page again as it was left.
  addEventListener('storage', changed);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    // What left for Cash App's page waits for nothing any more; another press goes on with the same payment.
    setBusy(false);
    attempts.readAgain();
    changed();
  });
  for (const input of [amount, name, note]) input.addEventListener('input', changed);
  presets.at(-1)?.addEventListener('change', () => amount.focus());
  found('cashapp').addEventListener('click', () => void busy(payByCashApp));
  found('card').addEventListener('click', () => {
    if (!facts.isPreview) void openCardForm().catch(() => fail(NO_FORM));
  });
  found('back').addEventListener('click', closeCardForm);
  found('pay-card').addEventListener('click', () => void busy(payByCard));
  show(found('cashapp'), facts.methods.includes('cashapp'));
  show(found('pay'), true);
  restore();
  changed();
  const later = () => {
    askProvider().catch(() => undefined);
    if (facts.isSignedIn) offerOwn(ownForm).catch(() => undefined);
    loadFont();
  };
  if (document.readyState === 'complete') later();
  else addEventListener('load', later);
}

/** Wallet buttons are black on light and white on dark. */
function walletTheme(): { readonly applePay: 'black' | 'white'; readonly googlePay: 'black' | 'white' } {
  const theme = DARK.matches ? 'white' : 'black';
  return { applePay: theme, googlePay: theme };
}

/** The provider's fields in the page's colours. */
function appearance(): Appearance {
  const isDark = DARK.matches;
  return {
    theme: isDark ? 'night' : 'stripe',
    variables: {
      colorPrimary: isDark ? '#FFBE3D' : '#7A1435',
      colorBackground: isDark ? '#1F1519' : '#FFFFFF',
      colorText: isDark ? '#F8F0F2' : '#1D1014',
      borderRadius: '12px',
      fontSizeBase: '16px',
    },
  };
}

function loadStripe({ stripeKey, stripeScript }: TipFacts): Promise<Stripe> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = stripeScript;
    script.addEventListener('load', () => {
      const { Stripe } = window;
      if (Stripe) resolve(Stripe(stripeKey));
      else reject(new Error('The card provider’s script did not load.'));
    });
    script.addEventListener('error', () => reject(new Error('The card provider cannot be reached.')));
    document.head.append(script);
  });
}

watchOutage();
const facts = JSON.parse(found('facts').textContent) as TipFacts | ReceiptFacts;
if ('receipt' in facts) watchReceipt(facts);
else tipPage(facts);
