/**
 * Defines `window.Stripe` for pages that run against the stand-in: what `loadStripe` of @stripe/stripe-js and
 * the wrappers of @stripe/react-stripe-js call. A classic script without imports: the page loads it before
 * its modules.
 *
 * The form that takes card numbers is a page of the stand-in's in a frame; this script never sees what is
 * typed there. It needs of the page's Content-Security-Policy: this origin in script-src, frame-src and
 * connect-src. Styles are set through the CSSOM, so style-src needs nothing.
 */
(() => {
  type Json = Record<string, unknown>;
  type Result = { error?: Json } & Json;
  type Handler = (event: Json) => void;

  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement))
    throw new Error('stripe.js must be loaded as a classic script.');
  const ORIGIN = new URL(script.src).origin;
  /** What @stripe/stripe-js 10 expects; it warns about any other. */
  const VERSION = 'endive';
  const FRAME_HEIGHT = 220;
  const UNAUTHENTICATED =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  const EVENTS = ['loaderstart', 'ready', 'change', 'focus', 'blur', 'escape', 'loaderror'];

  const isJson = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const jsonOf = (value: unknown): Json => (isJson(value) ? value : {});
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

  class IntegrationError extends Error {
    override readonly name = 'IntegrationError';
  }

  function failure(type: string, message: string, code?: string): Result {
    return { error: code === undefined ? { type, message } : { type, message, code } };
  }

  function intentIdOf(clientSecret: string): string {
    const id = /^((?:pi|seti)_[A-Za-z0-9]+)_secret_[A-Za-z0-9]+$/.exec(clientSecret)?.[1];
    if (id === undefined)
      throw new IntegrationError(
        'Invalid value for clientSecret: it should be of the form ${id}_secret_${secret}.',
      );
    return id;
  }

  function pathOf(clientSecret: string): string {
    const id = intentIdOf(clientSecret);
    return `/v1/${id.startsWith('seti_') ? 'setup_intents' : 'payment_intents'}/${id}`;
  }

  function formOf(values: Json, prefix = ''): [string, string][] {
    return Object.entries(values).flatMap(([key, value]): [string, string][] => {
      const name = prefix === '' ? key : `${prefix}[${key}]`;
      if (value === undefined || value === null) return [];
      return isJson(value) ? formOf(value, name) : [[name, String(value)]];
    });
  }

  async function call(key: string, method: 'GET' | 'POST', path: string, values: Json): Promise<Result> {
    const form = new URLSearchParams(formOf(values)).toString();
    try {
      const answer = await fetch(`${ORIGIN}${path}${method === 'GET' ? `?${form}` : ''}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-www-form-urlencoded' },
        ...(method === 'POST' ? { body: form } : {}),
      });
      const body = jsonOf(await answer.json());
      return answer.ok ? { object: body } : { error: jsonOf(body.error) };
    } catch {
      return failure(
        'api_connection_error',
        'We are experiencing issues connecting to our payments provider. Check your connection and try again.',
      );
    }
  }

  /** How an intent stands now. */
  async function readIntent(key: string, secret: string): Promise<Result> {
    return call(key, 'GET', pathOf(secret), { client_secret: secret });
  }

  /** Confirms an intent with what `values` pay it by. */
  async function sendConfirmation(key: string, secret: string, values: Json): Promise<Result> {
    const how = { client_secret: secret, use_stripe_sdk: true, ...values };
    return call(key, 'POST', `${pathOf(secret)}/confirm`, how);
  }

  /** The framed form: a port to it, once it has said that it is there. */
  class Frame {
    readonly element = document.createElement('iframe');
    private port: MessagePort | undefined;
    private nextId = 1;
    private readonly waiting = new Map<number, (result: Result) => void>();
    private readonly connected: Promise<MessagePort>;
    private stopListening: () => void = () => undefined;

    constructor(
      private readonly init: () => Json,
      private readonly onEvent: (name: string, payload: Json) => void,
    ) {
      this.element.title = 'Secure payment input frame';
      this.element.allow = 'payment *';
      this.element.src = `${ORIGIN}/v3/elements/payment`;
      Object.assign(this.element.style, {
        border: '0',
        width: '100%',
        height: `${FRAME_HEIGHT}px`,
        display: 'block',
        colorScheme: 'light',
      });
      this.connected = new Promise((resolve) => {
        const hear = (event: MessageEvent): void => {
          if (event.source !== this.element.contentWindow || event.origin !== ORIGIN) return;
          if (jsonOf(event.data).kind !== 'hello') return;
          const channel = new MessageChannel();
          channel.port1.onmessage = ({ data }: MessageEvent) => this.receive(jsonOf(data));
          this.port = channel.port1;
          this.element.contentWindow?.postMessage({ kind: 'init', ...this.init() }, ORIGIN, [channel.port2]);
          resolve(channel.port1);
        };
        window.addEventListener('message', hear);
        this.stopListening = () => window.removeEventListener('message', hear);
      });
    }

    private receive(message: Json): void {
      if (message.kind === 'answer' && typeof message.id === 'number') {
        this.waiting.get(message.id)?.(jsonOf(message.result));
        this.waiting.delete(message.id);
      } else if (message.kind === 'height' && typeof message.height === 'number') {
        this.element.style.height = `${message.height}px`;
      } else if (message.kind === 'event') this.onEvent(textOf(message.name) ?? '', jsonOf(message.payload));
    }

    /** Asks the form to do something and waits for what came of it. */
    async ask(kind: string, values: Json = {}): Promise<Result> {
      const port = await this.connected;
      const id = this.nextId;
      this.nextId += 1;
      return new Promise((resolve) => {
        this.waiting.set(id, resolve);
        port.postMessage({ kind, id, ...values });
      });
    }

    tell(kind: string, values: Json = {}): void {
      this.port?.postMessage({ kind, ...values });
    }

    close(): void {
      this.stopListening();
      this.port?.close();
      this.element.remove();
      for (const answer of this.waiting.values())
        answer(
          failure(
            'invalid_request_error',
            'The payment form was taken away before it was done.',
            'element_not_mounted',
          ),
        );
      this.waiting.clear();
    }
  }

  /** What stands in the page, and tells it of events. */
  abstract class PageElement {
    private readonly handlers = new Map<string, Set<Handler>>();

    constructor(
      protected readonly group: Elements,
      private readonly elementType: string,
    ) {}

    on(name: string, handler: Handler): this {
      const handlers = this.handlers.get(name) ?? new Set();
      this.handlers.set(name, handlers.add(handler));
      return this;
    }

    once(name: string, handler: Handler): this {
      const only: Handler = (event) => {
        this.off(name, only);
        handler(event);
      };
      return this.on(name, only);
    }

    off(name: string, handler?: Handler): this {
      if (handler) this.handlers.get(name)?.delete(handler);
      else this.handlers.delete(name);
      return this;
    }

    destroy(): this {
      this.unmount();
      this.group.forget(this);
      return this;
    }

    abstract unmount(): this;

    protected emit(name: string, payload: Json): void {
      for (const handler of [...(this.handlers.get(name) ?? [])])
        handler({ elementType: this.elementType, ...payload });
    }

    /** The place that the page names, by a selector or itself. */
    protected placeOf(target: unknown): HTMLElement {
      const place = typeof target === 'string' ? document.querySelector(target) : target;
      if (!(place instanceof HTMLElement))
        throw new IntegrationError('Invalid DOM element. Call mount() with a valid one.');
      return place;
    }
  }

  class PaymentElement extends PageElement {
    frame: Frame | undefined;
    private destroyed = false;

    constructor(
      group: Elements,
      private options: Json,
    ) {
      super(group, 'payment');
    }

    mount(target: unknown): this {
      if (this.destroyed)
        throw new IntegrationError('This Element has already been destroyed. Please create a new one.');
      const node = this.placeOf(target);
      this.unmount();
      this.frame = new Frame(
        () => ({ ...this.group.describe(), options: this.options }),
        (name, payload) => {
          if (EVENTS.includes(name)) this.emit(name, payload);
        },
      );
      node.replaceChildren(this.frame.element);
      queueMicrotask(() => this.emit('loaderstart', {}));
      return this;
    }

    override unmount(): this {
      this.frame?.close();
      this.frame = undefined;
      return this;
    }

    override destroy(): this {
      this.destroyed = true;
      return super.destroy();
    }

    update(options: unknown): this {
      this.options = { ...this.options, ...jsonOf(options) };
      this.frame?.tell('options', { options: this.options });
      return this;
    }

    focus(): this {
      this.frame?.element.focus();
      this.frame?.tell('focus');
      return this;
    }

    blur(): this {
      this.frame?.tell('blur');
      return this;
    }

    clear(): this {
      this.frame?.tell('clear');
      return this;
    }

    collapse(): this {
      return this;
    }
  }

  /**
   * The wallet buttons, with the events of the SDK: `ready` says which wallets there are, `click` waits to be
   * resolved before the wallet opens, `confirm` comes when the payer confirms in it, `cancel` when they close
   * it. Which wallets a browser has is told by `localStorage` of the page: `encore-test-wallets` = `none`, or
   * names apart by commas.
   */
  class ExpressCheckoutElement extends PageElement {
    private node: HTMLElement | undefined;
    methodId: string | undefined;

    constructor(
      group: Elements,
      private readonly options: Json,
    ) {
      super(group, 'expressCheckout');
    }

    mount(target: unknown): this {
      const node = this.placeOf(target);
      this.node = node;
      setTimeout(() => this.draw(node), 0);
      return this;
    }

    private wallets(): string[] {
      try {
        const told = window.localStorage.getItem('encore-test-wallets') ?? 'googlePay';
        return told === 'none' ? [] : told.split(',');
      } catch {
        return ['googlePay'];
      }
    }

    private draw(node: HTMLElement): void {
      const wallets = this.wallets();
      const labels: Record<string, string> = { applePay: 'Apple Pay', googlePay: 'Google Pay', link: 'Link' };
      node.replaceChildren(
        ...wallets.map((wallet) => {
          const button = document.createElement('button');
          const height = `${Number(this.options.buttonHeight ?? 44)}px`;
          const isWhite = jsonOf(this.options.buttonTheme)[wallet] === 'white';
          button.type = 'button';
          button.textContent = `Pay with ${labels[wallet] ?? wallet}`;
          Object.assign(button.style, {
            display: 'block',
            width: '100%',
            height,
            border: '0',
            borderRadius: '14px',
            background: isWhite ? '#fff' : '#000',
            color: isWhite ? '#000' : '#fff',
            font: '600 17px system-ui',
            cursor: 'pointer',
          });
          button.addEventListener('click', () => this.clicked(wallet));
          return button;
        }),
      );
      const available = Object.fromEntries(wallets.map((wallet) => [wallet, true]));
      this.emit('ready', { availablePaymentMethods: wallets.length > 0 ? available : undefined });
    }

    private clicked(expressPaymentType: string): void {
      let isAnswered = false;
      this.emit('click', {
        expressPaymentType,
        resolve: () => {
          if (isAnswered) return;
          isAnswered = true;
          void this.openWallet(expressPaymentType);
        },
        reject: () => {
          isAnswered = true;
        },
      });
    }

    /** The sheet that a phone shows: what it charges, and a confirmation by the phone's own gesture. */
    private async openWallet(expressPaymentType: string): Promise<void> {
      const dialog = document.createElement('dialog');
      dialog.setAttribute('aria-label', 'Phone wallet');
      Object.assign(dialog.style, {
        margin: 'auto auto 0',
        width: 'min(100vw, 420px)',
        maxWidth: '100vw',
        padding: '20px',
        border: '0',
        borderRadius: '16px 16px 0 0',
        background: '#fff',
        color: '#111',
        font: '16px system-ui',
      });
      const sum = document.createElement('p');
      sum.textContent = `Test wallet · ${this.group.amountText()}`;
      const confirm = document.createElement('button');
      confirm.textContent = 'Confirm on this phone';
      const close = document.createElement('button');
      close.textContent = 'Close';
      for (const button of [confirm, close]) {
        button.type = 'button';
        Object.assign(button.style, { display: 'block', width: '100%', height: '48px', marginTop: '8px' });
      }
      dialog.append(sum, confirm, close);
      document.body.append(dialog);
      dialog.showModal();
      const isConfirmed = await new Promise<boolean>((resolve) => {
        confirm.addEventListener('click', () => resolve(true));
        close.addEventListener('click', () => resolve(false));
        dialog.addEventListener('cancel', () => resolve(false));
      });
      dialog.close();
      dialog.remove();
      if (!isConfirmed) return this.emit('cancel', {});
      this.methodId = this.cardOfWallet();
      this.emit('confirm', {
        expressPaymentType,
        billingDetails: { name: 'Wallet Owner' },
        paymentFailed: () => undefined,
      });
    }

    /** The card behind the wallet: `encore-test-wallet-card` of the page's `localStorage`. */
    private cardOfWallet(): string {
      try {
        return window.localStorage.getItem('encore-test-wallet-card') ?? 'pm_card_visa';
      } catch {
        return 'pm_card_visa';
      }
    }

    override unmount(): this {
      this.node?.replaceChildren();
      return this;
    }

    update(): this {
      return this;
    }
  }

  class Elements {
    private element: PaymentElement | undefined;
    private express: ExpressCheckoutElement | undefined;
    private isSubmitted = false;

    constructor(
      readonly key: string,
      private options: Json,
    ) {
      if (options.paymentMethodTypes !== undefined)
        throw new IntegrationError(
          'paymentMethodTypes is no longer supported; use allowedPaymentMethodTypes.',
        );
      if (options.clientSecret !== undefined) intentIdOf(String(options.clientSecret));
      else if (options.mode === undefined)
        throw new IntegrationError('elements() needs a clientSecret, or a mode.');
    }

    get clientSecret(): string | undefined {
      return textOf(this.options.clientSecret);
    }

    get mounted(): Frame | undefined {
      return this.element?.frame;
    }

    describe(): Json {
      const { clientSecret, appearance, fonts, allowedPaymentMethodTypes, mode } = this.options;
      return { key: this.key, clientSecret, appearance, fonts, allowedPaymentMethodTypes, mode };
    }

    /** The sum that the wallet's sheet shows, of a group without an intent. */
    amountText(): string {
      const { amount, currency } = this.options;
      return `${String(currency ?? '').toUpperCase()} ${(Number(amount) / 100).toFixed(2)}`;
    }

    /** What the payer confirmed a wallet's sheet with. */
    get walletMethod(): string | undefined {
      return this.express?.methodId;
    }

    create(type: unknown, options?: unknown): PaymentElement | ExpressCheckoutElement {
      if (type === 'expressCheckout') {
        if (this.options.mode === undefined && this.options.clientSecret === undefined)
          throw new IntegrationError('The Express Checkout Element needs an amount.');
        this.express = new ExpressCheckoutElement(this, jsonOf(options));
        return this.express;
      }
      if (type !== 'payment')
        throw new IntegrationError(
          `This stand-in has the payment and expressCheckout Elements only, not ${String(type)}.`,
        );
      if (this.element)
        throw new IntegrationError('Can only create one Element of type payment through a single Elements.');
      this.element = new PaymentElement(this, jsonOf(options));
      return this.element;
    }

    getElement(type: unknown): PaymentElement | ExpressCheckoutElement | null {
      if (type === 'expressCheckout') return this.express ?? null;
      return type === 'payment' ? (this.element ?? null) : null;
    }

    forget(element: PageElement): void {
      if (this.element === element) this.element = undefined;
      if (this.express === element) this.express = undefined;
    }

    update(options: unknown): void {
      const changes = jsonOf(options);
      this.options = { ...this.options, ...changes };
      if (changes.appearance !== undefined)
        this.mounted?.tell('appearance', { appearance: changes.appearance });
    }

    async submit(): Promise<Result> {
      // A wallet has nothing to check: its payer has confirmed what there is.
      if (!this.mounted && !this.express)
        throw new IntegrationError('elements.submit() needs a mounted Element.');
      const result = this.mounted ? await this.mounted.ask('submit') : {};
      this.isSubmitted = result.error === undefined;
      return result;
    }

    /**
     * Elements that were made before their intent confirm one that is as they say, and after each `submit()`
     * once. Throws, or answers why not.
     */
    async refusalOf(clientSecret: string): Promise<Result | undefined> {
      if (this.clientSecret !== undefined) return undefined;
      if (!this.isSubmitted)
        throw new IntegrationError(
          'elements.submit() must be called before stripe.confirmPayment(), as soon as the payer presses pay.',
        );
      this.isSubmitted = false;
      const { object, error } = await readIntent(this.key, clientSecret);
      if (error) return { error };
      const { amount, currency } = jsonOf(object);
      if (this.options.mode !== 'payment') return undefined;
      if (amount === this.options.amount && currency === this.options.currency) return undefined;
      return failure(
        'invalid_request_error',
        `The amount and currency of these Elements (${this.amountText()}) are not those of the PaymentIntent.`,
      );
    }

    async fetchUpdates(): Promise<Result> {
      return this.mounted ? this.mounted.ask('refresh') : {};
    }
  }

  /** Shows the bank's challenge over the page until it is done, one way or the other. */
  async function showChallenge(url: string): Promise<void> {
    const dialog = document.createElement('dialog');
    const frame = document.createElement('iframe');
    dialog.setAttribute('aria-label', 'Your bank asks you to confirm this payment');
    frame.title = 'Your bank’s confirmation page';
    frame.src = `${url}&embedded=1`;
    const full = {
      position: 'fixed',
      inset: '0',
      width: '100vw',
      height: '100vh',
      maxWidth: '100vw',
      maxHeight: '100vh',
    };
    Object.assign(dialog.style, full, { margin: '0', padding: '16px', border: '0', boxSizing: 'border-box' });
    Object.assign(dialog.style, {
      background: 'rgba(20, 12, 15, .6)',
      alignItems: 'center',
      justifyContent: 'center',
      display: 'flex',
    });
    Object.assign(frame.style, {
      border: '0',
      borderRadius: '16px',
      width: 'min(100%, 420px)',
      height: 'min(100%, 440px)',
      background: '#fff',
    });
    dialog.append(frame);
    document.body.append(dialog);
    const before = document.activeElement;
    await new Promise<void>((resolve) => {
      const hear = (event: MessageEvent): void => {
        if (
          event.source !== frame.contentWindow ||
          event.origin !== ORIGIN ||
          jsonOf(event.data).kind !== 'challenge-done'
        )
          return;
        end();
      };
      const end = (): void => {
        window.removeEventListener('message', hear);
        resolve();
      };
      // Escape is a refusal: the intent must not be left waiting for a challenge that is no longer on the
      // screen.
      dialog.addEventListener('cancel', (event) => {
        event.preventDefault();
        const [path = '', query = ''] = url.split('?');
        const refusal = new URLSearchParams(query);
        refusal.set('outcome', 'fail');
        refusal.set('embedded', '1');
        fetch(`${path}/answer`, { method: 'POST', body: refusal }).then(end, end);
      });
      window.addEventListener('message', hear);
      dialog.showModal();
    });
    dialog.close();
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  }

  /** The page is being left; nothing that waits for the answer goes on. */
  async function leaveFor(url: string): Promise<Result> {
    window.location.assign(url);
    return new Promise(() => undefined);
  }

  function returnAddress(returnUrl: string, intent: Json): string {
    const url = new URL(returnUrl, window.location.href);
    const name = intent.object === 'setup_intent' ? 'setup_intent' : 'payment_intent';
    url.searchParams.set(name, String(intent.id));
    url.searchParams.set(`${name}_client_secret`, String(intent.client_secret));
    url.searchParams.set(
      'redirect_status',
      intent.status === 'processing' ? 'pending' : String(intent.status),
    );
    return url.href;
  }

  function resultOf(intent: Json): Result {
    const kind = intent.object === 'setup_intent' ? 'setup' : 'payment';
    if (intent.status === 'requires_payment_method') {
      const error = jsonOf(kind === 'setup' ? intent.last_setup_error : intent.last_payment_error);
      // What the API says of it is meant for programmers; in the browser it is said to the payer.
      if (error.code === `${kind}_intent_authentication_failure`) error.message = UNAUTHENTICATED;
      return { error: { ...error, [`${kind}_intent`]: intent } };
    }
    return { [`${kind}Intent`]: intent };
  }

  /** Does what the intent asks for next, if anything, and returns how it stands then. */
  async function follow(key: string, intent: Json, mayRedirect: boolean): Promise<Result> {
    const action = jsonOf(intent.next_action);
    if (intent.status !== 'requires_action') return resultOf(intent);
    const challenge = textOf(jsonOf(action.use_stripe_sdk).stripe_js);
    if (challenge !== undefined) {
      await showChallenge(challenge);
      const { object, error } = await readIntent(key, String(intent.client_secret));
      return error ? { error } : resultOf(jsonOf(object));
    }
    const url =
      textOf(jsonOf(action.redirect_to_url).url) ??
      textOf(jsonOf(action.cashapp_handle_redirect_or_display_qr_code).mobile_auth_url);
    if (url === undefined || !mayRedirect) return resultOf(intent);
    return leaveFor(url);
  }

  async function confirmIntent(key: string, kind: 'payment' | 'setup', given: unknown): Promise<Result> {
    const { elements, clientSecret, confirmParams, redirect } = jsonOf(given);
    const group = elements instanceof Elements ? elements : undefined;
    const secret = textOf(clientSecret) ?? group?.clientSecret;
    const parameters = jsonOf(confirmParams);
    const returnUrl = textOf(parameters.return_url);
    if (secret === undefined)
      throw new IntegrationError(
        `confirm${kind === 'setup' ? 'Setup' : 'Payment'}() needs elements or a clientSecret.`,
      );
    if (intentIdOf(secret).startsWith('seti_') !== (kind === 'setup'))
      throw new IntegrationError(`That clientSecret is not of a ${kind} intent.`);
    if (returnUrl === undefined && redirect !== 'if_required')
      throw new IntegrationError("confirmParams.return_url is needed unless redirect is 'if_required'.");
    const refusal = await group?.refusalOf(secret);
    if (refusal) return refusal;
    const saved = textOf(parameters.payment_method) ?? group?.walletMethod;
    let outcome: Result;
    if (saved !== undefined) {
      outcome = await sendConfirmation(key, secret, { payment_method: saved, return_url: returnUrl });
    } else {
      if (!group?.mounted) throw new IntegrationError('The payment Element must be mounted to be confirmed.');
      const valid = await group.mounted.ask('submit');
      if (valid.error) return valid;
      const { billing_details } = jsonOf(parameters.payment_method_data);
      outcome = await group.mounted.ask('confirm', {
        clientSecret: secret,
        returnUrl,
        billingDetails: billing_details,
      });
    }
    if (outcome.error) return { error: outcome.error };
    const result = await follow(key, jsonOf(outcome.object), true);
    const intent = jsonOf(result[`${kind}Intent`]);
    if (result.error || redirect === 'if_required' || returnUrl === undefined) return result;
    return leaveFor(returnAddress(returnUrl, intent));
  }

  async function confirmWithMethod(key: string, secret: unknown, data: unknown): Promise<Result> {
    const clientSecret = String(secret);
    const { payment_method: method, return_url: returnUrl } = jsonOf(data);
    if (method !== undefined && typeof method !== 'string')
      throw new IntegrationError(
        'This stand-in confirms saved payment methods by id; for new cards use confirmPayment with the payment Element.',
      );
    const values = { payment_method: method, return_url: returnUrl };
    const { object, error } = await sendConfirmation(key, clientSecret, values);
    return error ? { error } : follow(key, jsonOf(object), true);
  }

  /** Leaves for Cash App. Without a saved payment method a new one is made. */
  async function confirmCashapp(key: string, secret: unknown, data: unknown): Promise<Result> {
    const clientSecret = String(secret);
    const { payment_method: method, return_url: returnUrl } = jsonOf(data);
    const how =
      typeof method === 'string' ? { payment_method: method } : { payment_method_data: { type: 'cashapp' } };
    const { object, error } = await sendConfirmation(key, clientSecret, { return_url: returnUrl, ...how });
    return error ? { error } : follow(key, jsonOf(object), true);
  }

  async function retrieve(key: string, secret: unknown): Promise<Result> {
    const clientSecret = String(secret);
    const { object, error } = await readIntent(key, clientSecret);
    const name = clientSecret.startsWith('seti_') ? 'setupIntent' : 'paymentIntent';
    return error ? { error } : { [name]: object };
  }

  async function handleNextAction(key: string, given: unknown): Promise<Result> {
    const clientSecret = String(jsonOf(given).clientSecret);
    const { object, error } = await readIntent(key, clientSecret);
    if (error) return { error };
    const intent = jsonOf(object);
    if (intent.status !== 'requires_action')
      throw new IntegrationError(
        'handleNextAction: The PaymentIntent or SetupIntent supplied is not in the requires_action state.',
      );
    return follow(key, intent, true);
  }

  async function createPaymentMethod(key: string, given: unknown): Promise<Result> {
    const { elements, params, ...direct } = jsonOf(given);
    if (elements instanceof Elements) {
      if (!elements.mounted) throw new IntegrationError('The payment Element must be mounted.');
      const valid = await elements.submit();
      if (valid.error) return valid;
      const { object, error } = await elements.mounted.ask('create', {
        billingDetails: jsonOf(params).billing_details,
      });
      return error ? { error } : { paymentMethod: object };
    }
    const { object, error } = await call(key, 'POST', '/v1/payment_methods', direct);
    return error ? { error } : { paymentMethod: object };
  }

  function Stripe(key: unknown): Json {
    if (typeof key !== 'string' || !/^pk_test_./.test(key))
      throw new IntegrationError(
        'This script is a stand-in for tests: it takes publishable keys that begin with pk_test_ and no others.',
      );
    return {
      elements: (options: unknown) => new Elements(key, jsonOf(options)),
      confirmPayment: (options: unknown) => confirmIntent(key, 'payment', options),
      confirmSetup: (options: unknown) => confirmIntent(key, 'setup', options),
      confirmCardPayment: (secret: unknown, data?: unknown) => confirmWithMethod(key, secret, data),
      confirmCashappPayment: (secret: unknown, data?: unknown) => confirmCashapp(key, secret, data),
      confirmCardSetup: (secret: unknown, data?: unknown) => confirmWithMethod(key, secret, data),
      retrievePaymentIntent: (secret: unknown) => retrieve(key, secret),
      retrieveSetupIntent: (secret: unknown) => retrieve(key, secret),
      handleNextAction: (options: unknown) => handleNextAction(key, options),
      createPaymentMethod: (options: unknown) => createPaymentMethod(key, options),
      createToken: async () =>
        Promise.resolve(failure('invalid_request_error', 'This stand-in makes payment methods, not tokens.')),
      registerAppInfo: () => undefined,
      _registerWrapper: () => undefined,
    };
  }
  Stripe.version = VERSION;
  Object.assign(window, { Stripe });
})();
