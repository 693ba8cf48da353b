/**
 * The public tip page and what guests do there. None of it needs a session, so it stands outside of /api: the
 * gate counts it by address and lets no other site call it. Whoever has a receipt link may see, mail and
 * forget what it shows.
 */
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toString as toMarkup } from 'qrcode';
import { gzipSync } from 'node:zlib';
import {
  EndGuestPayments,
  GuestPaymentBody,
  MailReceipt,
  type GuestPaymentState,
} from '#contracts/api/guest-tips';
import type { PaymentIntentAnswer } from '#contracts/api/payments';
import { guestIdOf, RECEIPT_TOKEN } from '#contracts/plain/guest';
import { HANDLE_FORM, tipPagePath } from '#contracts/plain/handle';
import { networkOf } from '#edge/address';
import { ClientKey } from '#edge/api-call';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { digestOf, exactKeyOf } from '#log/digest';
import { EndEarlierPayments, OpenGuestPayment } from '../bus/payments.js';
import { About } from '../http/about.controller.js';
import { Freshness } from '../http/freshness.js';
import { pageNonce } from '../http/content-security.js';
import { ActiveMethods } from '../stripe/active-methods.js';
import { GuestReceipts } from './guest-receipts.js';
import { noPageHtml, noReceiptHtml, receiptHtml, tipPageHtml, type PageFrame } from './page-html.js';
import {
  PaidTips,
  ShownTipPages,
  TipPagePictures,
  TipPageSettings,
  type PaidPerformer,
  type PaidTip,
  type ShownTipPage,
} from './tip-page-reads.js';

const NO_PAGE = 'This tip page is not open any more. Nothing was paid.';
const FORGOTTEN = 'You asked to be forgotten here. Nothing was paid: press again to pay anew.';
const NO_RECEIPT = 'There is no such receipt.';
const NO_MAIL = 'You asked to be forgotten, so nothing is mailed. Keep this page’s address instead.';
/** What stands in place of a guest's token in the address of a user's own receipt. */
const PAYMENT_ID = /^(?:pay|trf)_[A-Za-z0-9]{10,60}$/;
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** The guest whose receipt link ends with this token: an id that tells nothing of the token. */
export const guestOf = (token: string): string => guestIdOf(digestOf('guest', token));

@Controller()
export class TipPageViewController {
  constructor(
    private readonly pages: ShownTipPages,
    private readonly pictures: TipPagePictures,
    private readonly payments: PaidTips,
    private readonly receipts: GuestReceipts,
    private readonly settings: TipPageSettings,
    private readonly freshness: Freshness,
    private readonly about: About,
    private readonly methods: ActiveMethods,
    private readonly bus: CommandBus,
  ) {}

  // Without a handle, too: Nest would answer that address in words of its own.
  @Get(['@', '@:handle'])
  async show(
    @Param('handle') written = '',
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const page = await this.find(written);
    const isPreview = page !== undefined && !page.isPublished && request.userId === page.userId;
    if (page === undefined || (!page.isPublished && !isPreview)) return this.nobody(request, reply, written);
    // An older handle of the same person, or one in capitals.
    if (page.handle !== written) return reply.redirect(tipPagePath(page.handle), 302);
    const address = `${this.settings.publicUrl}${tipPagePath(page.handle)}`;
    const code = await toMarkup(address, { type: 'svg', margin: 0, errorCorrectionLevel: 'M' });
    const { stripePublishableKey, stripeScriptUrl } = this.about.browser;
    const facts = {
      handle: page.handle,
      userId: page.userId,
      stripeKey: stripePublishableKey,
      stripeScript: stripeScriptUrl,
      methods: [...(await this.methods.offered())],
      isSignedIn: request.userId !== undefined && request.userId !== page.userId,
      isPreview,
      isOwners: request.userId === page.userId,
    };
    const labelled = code.replace(
      '<svg ',
      '<svg role="img" aria-label="The address of this page as a code" ',
    );
    return html(request, reply, tipPageHtml(this.frame(reply), page, facts, labelled));
  }

  /** The owner's picture, for the page and for previews of links to it. */
  @Get('@:handle/picture/:hash')
  async picture(
    @Param('handle') written: string,
    @Param('hash') hash: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const page = await this.find(written);
    // The one that the page shows, which in privacy mode is none.
    const mayLook =
      page !== undefined &&
      (request.userId === page.userId || (page.isPublished && page.pictureHash === hash));
    const bytes = mayLook && HASH.test(hash) ? await this.pictures.bytesOf(page.userId, hash) : undefined;
    if (bytes === undefined) throw new Refusal(404, 'There is no such picture.');
    return reply
      .type('image/webp')
      .headers({ 'cache-control': 'private, max-age=3600', 'x-content-type-options': 'nosniff' })
      .send(bytes);
  }

  @Get('@:handle/paid/:token')
  async receipt(
    @Param('handle') written: string,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const isOwn = PAYMENT_ID.test(token);
    const isSignedIn = request.userId !== undefined;
    if (isOwn && !isSignedIn && HANDLE_FORM.test(written)) {
      const path = `${tipPagePath(written)}/paid/${token}`;
      return reply.redirect(`/api/login?returnTo=${encodeURIComponent(path)}`, 302);
    }
    const found = await this.paidOn(written, token, request.userId);
    if (found === undefined) return this.noReceipt(request, reply, written);
    const isForgotten = !isOwn && (await this.receipts.isForgotten(guestOf(token)));
    const reader = { token, isSignedIn, isOwn, isForgotten };
    // A card was declined and another one paid: until that is booked, the decline is not the last word.
    const isConfirmed = Object(request.query).redirect_status === 'succeeded';
    const payment = isConfirmed && found.payment?.settledAt === null ? undefined : found.payment;
    return html(request, reply, receiptHtml(this.frame(reply), found.performer, payment, reader));
  }

  @Get('@:handle/paid/:token/state')
  async state(
    @Param('handle') written: string,
    @Param('token') token: string,
    @Req() { userId }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const payment = (await this.paidOn(written, token, userId))?.payment;
    const state: GuestPaymentState = {
      status: statusOf(payment),
      failureReason: payment?.failureReason ?? null,
    };
    return reply.send(state);
  }

  @Post('@:handle/payments')
  @HttpCode(200)
  async pay(
    @Param('handle') written: string,
    @Body(new Validated(GuestPaymentBody)) { token, insteadOf, ...body }: GuestPaymentBody,
    @ClientKey() key: string,
    @Req() { id: correlationId, ip }: FastifyRequest,
  ): Promise<PaymentIntentAnswer> {
    const page = await this.find(written);
    if (!page?.isPublished) throw new Refusal(404, NO_PAGE);
    // Their key is destroyed: nothing can be sealed for this guest. The page makes a new one.
    if (await this.receipts.isForgotten(guestOf(token))) throw new Refusal(410, FORGOTTEN);
    const from = { correlationId, network: networkOf(ip) };
    const { answer } = await this.bus.execute(
      new OpenGuestPayment(guestOf(token), page.userId, body, key, insteadOf, from),
    );
    return answer;
  }

  /**
   * For whoever goes on with a payment under their account: what they left open as a guest cannot be paid as
   * well.
   */
  @Post('@:handle/paid/:token/end')
  @HttpCode(204)
  async end(
    @Param('token') token: string,
    @Body(new Validated(EndGuestPayments)) { keys }: EndGuestPayments,
    @Req() { id: correlationId }: FastifyRequest,
  ): Promise<void> {
    if (!RECEIPT_TOKEN.test(token)) throw new Refusal(404, NO_RECEIPT);
    await this.bus.execute(new EndEarlierPayments(guestOf(token), keys, correlationId));
  }

  @Post('@:handle/paid/:token/mail')
  @HttpCode(204)
  async mail(
    @Param('handle') written: string,
    @Param('token') token: string,
    @Body(new Validated(MailReceipt)) { email }: MailReceipt,
  ): Promise<void> {
    const { payment, performer } = await this.mustBePaid(written, token);
    if (await this.receipts.isForgotten(guestOf(token))) throw new Refusal(409, NO_MAIL);
    const path = `${tipPagePath(performer.handle)}/paid/${token}`;
    await this.receipts.mail({ guestId: guestOf(token), payment, to: email, path });
  }

  @Post('@:handle/paid/:token/forget')
  @HttpCode(204)
  async forget(
    @Param('handle') written: string,
    @Param('token') token: string,
    @Req() { id: correlationId }: FastifyRequest,
  ): Promise<void> {
    await this.mustBePaid(written, token);
    await this.receipts.forget(guestOf(token), correlationId);
  }

  private async find(written: string): Promise<ShownTipPage | undefined> {
    const handle = written.toLowerCase();
    return HANDLE_FORM.test(handle) ? this.pages.byKey(exactKeyOf(handle)) : undefined;
  }

  /**
   * Who was paid by the guest of the link, also once their page is not published or their account is closed.
   * A user's own payment is found by its id, and by nobody else.
   */
  private async paidOn(
    written: string,
    token: string,
    userId?: string,
  ): Promise<{ performer: PaidPerformer; payment: PaidTip | undefined } | undefined> {
    const isOwn = userId !== undefined && PAYMENT_ID.test(token);
    if (!isOwn && !RECEIPT_TOKEN.test(token)) return undefined;
    const page = await this.find(written);
    const performer = page ? { ...page, isClosed: false } : await this.closed(written);
    if (performer === undefined) return undefined;
    const payment = isOwn
      ? await this.payments.ofPayer(token, userId)
      : await this.payments.ofGuest(guestOf(token));
    if (payment === undefined) return page?.isPublished ? { performer, payment } : undefined;
    return payment.recipientId === performer.userId ? { performer, payment } : undefined;
  }

  /** Whoever had this handle until their account was closed. */
  private async closed(written: string): Promise<PaidPerformer | undefined> {
    const handle = written.toLowerCase();
    const userId = HANDLE_FORM.test(handle) ? await this.pages.closedOwner(exactKeyOf(handle)) : undefined;
    const name = 'A closed account';
    return userId === undefined ? undefined : { userId, handle, name, shortName: name, isClosed: true };
  }

  private async mustBePaid(
    written: string,
    token: string,
  ): Promise<{ performer: PaidPerformer; payment: PaidTip }> {
    const found = await this.paidOn(written, token);
    if (found?.payment === undefined) throw new Refusal(404, NO_RECEIPT);
    if (found.payment.settledAt === null)
      throw new Refusal(409, 'This payment is not confirmed yet. Please try again in a moment.');
    return { performer: found.performer, payment: found.payment };
  }

  private frame(reply: FastifyReply): PageFrame {
    const { publicUrl, isStaging } = this.settings;
    const [script, font] = [this.settings.script(), this.settings.font()];
    const { isClosed, isStale } = this.freshness;
    const freshness = isClosed ? 'closed' : isStale ? 'stale' : 'fresh';
    return { nonce: pageNonce(reply), origin: publicUrl, script, font, isStaging, freshness };
  }

  /** Says no more of a page that is not published than that there is none. */
  private async noReceipt(
    request: FastifyRequest,
    reply: FastifyReply,
    written: string,
  ): Promise<FastifyReply> {
    const page = await this.find(written);
    if (!page?.isPublished) return this.nobody(request, reply, written);
    return html(request, reply.code(404), noReceiptHtml(this.frame(reply), page.handle));
  }

  private nobody(request: FastifyRequest, reply: FastifyReply, handle: string): FastifyReply {
    return html(request, reply.code(404), noPageHtml(this.frame(reply), handle));
  }
}

function statusOf(payment: PaidTip | undefined): GuestPaymentState['status'] {
  if (payment === undefined) return 'none';
  if (payment.settledAt !== null) return 'paid';
  return payment.status === 'failed' || payment.status === 'canceled' ? 'failed' : 'open';
}

/** Written anew for each answer, for its nonce, and small on the way to a phone. */
function html(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  void reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(page);
  return reply.header('content-encoding', 'gzip').send(gzipSync(page));
}
