/**
 * The script of the public tip page: choosing an amount, paying it, and waiting for the receipt. It stands in
 * the page itself and knows nothing of the app. The card provider's script is loaded once the page is there;
 * nothing is opened before the visitor presses a button that pays.
 */
import { dollarsFromMinor } from '#contracts/plain/money';
import { Attempts } from './attempts.js';
import { CardForm } from './card-form.js';
import { keepForm, takeForm, wasTipped } from './draft.js';
import { Fields } from './fields.js';
import { GuestPayment } from './guest-payment.js';
import { offerOwn, type TipForm } from './own.js';
import { found, loadFont, show, watchOutage } from './page.js';
import { ProviderScript, type ProviderFacts } from './provider.js';
import { watchReceipt, type ReceiptFacts } from './receipt.js';
import { Screen } from './screen.js';
import { Wallets } from './wallets.js';

interface TipFacts extends ProviderFacts {
  readonly handle: string;
  readonly userId: string;
  readonly methods: readonly string[];
  readonly isSignedIn: boolean;
  readonly isPreview: boolean;
}

/** The page's parts, put together: what is pressed and changed reaches them from here. */
function tipPage(facts: TipFacts): void {
  const { handle } = facts;
  const attempts = new Attempts(handle);
  const screen = new Screen(facts.isPreview);
  const fields = new Fields();
  const payment = new GuestPayment(handle, fields, attempts);
  const wallets = new Wallets(fields, attempts, payment, screen);
  const script = new ProviderScript(facts, screen, (provider) => wallets.offer(provider));
  const card = new CardForm(fields, payment, screen, script, wallets);

  const warnOfSecond = (): void => {
    const minor = fields.chosenMinor();
    show(found('again'), minor !== undefined && wasTipped(handle, minor));
  };
  /** The provider draws for what is chosen; a press that is worked on pays what it began with. */
  const charge = (): void => {
    const minor = fields.chosenMinor();
    if (minor !== undefined && !screen.isBusy) for (const method of [wallets, card]) method.charge(minor);
  };
  screen.onFree(charge);
  const changed = (): void => {
    fields.showChoices();
    const minor = fields.chosenMinor();
    sayAmount(minor);
    charge();
    warnOfSecond();
    screen.fail('');
  };
  fields.onChange(changed);
  // Another tab may have paid meanwhile. It says nothing of what was pressed here.
  addEventListener('storage', warnOfSecond);
  addEventListener('pageshow', ({ persisted }) => {
    // The browser may show this page again as it was left. What left for Cash App's page waits for nothing
    // any more; another press goes on with the same payment.
    if (persisted) {
      screen.comeBack();
      attempts.readAgain();
    }
    // Or it loads the page anew and chooses what was chosen then, without a word of it.
    changed();
  });
  found('cashapp').addEventListener(
    'click',
    () => void screen.busy(() => payment.payByCashApp(() => script.loadForPress())),
  );
  show(found('cashapp'), facts.methods.includes('cashapp'));
  show(found('pay'), true);
  const draft = takeForm(handle);
  if (draft) fields.fillIn(draft);
  changed();

  const ownForm: TipForm = {
    handle,
    userId: facts.userId,
    tip: () => fields.tip(),
    mayPay: async (body) => {
      if (!attempts.mayPay(body, true)) return false;
      const refused = await payment.endEarlier(body);
      if (refused !== undefined) screen.fail(refused);
      return refused === undefined;
    },
    keyFor: (body) => attempts.for(body).key,
    mayBePaid: () => attempts.isOneUnanswered,
    lost: (body, sentence) => {
      attempts.unanswered(body, true);
      screen.fail(sentence);
    },
    end: () => attempts.forget(),
    fail: (sentence) => screen.fail(sentence),
    tell: (sentence) => screen.tell(sentence),
    busy: async (work) => void (await screen.busy(work)),
    stripe: () => script.loadForPress(),
    leave: (address) => {
      keepForm(handle, fields.draft());
      location.assign(address);
    },
    changed,
  };
  const later = (): void => {
    script.load().catch(() => undefined);
    if (facts.isSignedIn) offerOwn(ownForm).catch(() => undefined);
    loadFont();
  };
  if (document.readyState === 'complete') later();
  else addEventListener('load', later);
}

/** Buttons say what they charge, and the balance where it does not cover that. */
function sayAmount(minor: number | undefined): void {
  found('pay-card').textContent = minor === undefined ? 'Pay' : `Pay ${dollarsFromMinor(minor)}`;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-own]')) {
    const { own = '', most = Infinity } = button.dataset;
    const isTooMuch = minor !== undefined && minor > Number(most);
    button.setAttribute('aria-disabled', String(isTooMuch));
    button.textContent =
      minor === undefined ? own : isTooMuch ? `${own} is too low` : `${own} · ${dollarsFromMinor(minor)}`;
  }
}

watchOutage();
const facts = JSON.parse(found('facts').textContent) as TipFacts | ReceiptFacts;
if ('receipt' in facts) watchReceipt(facts);
else tipPage(facts);
