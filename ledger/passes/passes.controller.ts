/** Apple Wallet passes, made and signed on demand; nothing of them is kept. */
import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { canBeKept } from '#contracts/api/kept-text';
import { GeneratePass, GenerateQrPass, PASS_TYPE } from '#contracts/api/passes';
import { PASS_FILE, QR_PASS_FILE } from '#contracts/plain/qr-content';
import { z } from 'zod';
import { ApiCall } from '#edge/api-call';
import { LOG, PUBLIC_URL } from '../parts.js';
import { SignedIn, type Caller } from '#edge/caller';
import { unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { PASS_CERTIFICATES, passesOff, type PassCertificates } from './pass-certificates.js';
import { passFile, type PassRequest } from './pass-file.js';

/** Whom a pass is for; filled in processes/ledger/reads.ts. */
export abstract class Payees {
  /** Somebody who can be paid, or undefined. */
  abstract byId(userId: string): Promise<PassRequest['payee'] | undefined>;
}

/** Signing is work of many milliseconds that holds the process up. */
const PER_MINUTE = 12;
const MINUTE_MS = 60_000;
const KEPT_MOST = 10_000;

const PASS_CONTENT = z.string().meta({ contentMediaType: PASS_TYPE, format: 'binary' });
const NOT_MADE = {
  500: 'Not made; the message says to try again',
  501: 'Passes are not set up on this server',
};

@Controller('api/apple-wallet')
export class PassesController {
  readonly #made = new Map<string, { since: number; count: number }>();

  constructor(
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(PASS_CERTIFICATES) private readonly certificates: PassCertificates | undefined,
    private readonly payees: Payees,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @ApiCall({
    summary:
      'A signed Apple Wallet pass that leads to a payment to a person, oneself unless another is named.',
    answer: PASS_CONTENT,
    proof: unguarded('A pass is drawn; nothing is kept or moved.'),
    answerType: PASS_TYPE,
    otherwise: {
      400: 'What is wrong with the amount or the description',
      404: 'Recipient user not found',
      ...NOT_MADE,
    },
  })
  @Post('generate-pass')
  @HttpCode(200)
  async pass(
    @SignedIn() caller: Caller,
    @Body(new Validated(GeneratePass)) { userId = caller.userId, amount, description }: GeneratePass,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const payee = canBeKept(userId) ? await this.payees.byId(userId) : undefined;
    if (!payee) throw new Refusal(404, 'Recipient user not found');
    const sorry = 'Failed to generate Apple Wallet pass. Please try again.';
    return this.answer(caller, reply, { payee, amountMinor: amount, description }, PASS_FILE, sorry);
  }

  @ApiCall({
    summary: 'A signed Apple Wallet pass with the user’s own code; without an amount the payer chooses it.',
    answer: PASS_CONTENT,
    proof: unguarded('A pass is drawn; nothing is kept or moved.'),
    answerType: PASS_TYPE,
    otherwise: { 400: 'What is wrong with the amount', ...NOT_MADE },
  })
  @Post('generate-qr-pass')
  @HttpCode(200)
  async qrPass(
    @SignedIn() caller: Caller,
    @Body(new Validated(GenerateQrPass)) { amount }: GenerateQrPass,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const payee = await this.payees.byId(caller.userId);
    if (!payee) throw new Refusal(503, 'Your account is still being set up. Please try again in a moment.');
    const sorry = 'Failed to generate QR payment pass. Please try again.';
    return this.answer(caller, reply, { payee, amountMinor: amount }, QR_PASS_FILE, sorry);
  }

  private answer(
    caller: Caller,
    reply: FastifyReply,
    request: PassRequest,
    fileName: string,
    sorry: string,
  ): FastifyReply {
    const { certificates, publicUrl } = this;
    // "Please try again" would be no advice: it is not the caller's to mend.
    if (!certificates) throw new Refusal(501, 'Apple Wallet passes are not set up on this server.');
    if (passesOff(certificates, new Date()) !== undefined)
      throw new Refusal(501, 'Apple Wallet passes cannot be made on this server at the moment.');
    this.countOne(caller.userId);
    let file: Buffer;
    try {
      file = passFile(publicUrl, request, certificates);
    } catch (error) {
      this.log.error({ correlationId: caller.correlationId, err: error }, 'a pass could not be made');
      throw new Refusal(500, sorry);
    }
    return reply
      .type(PASS_TYPE)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(file);
  }

  private countOne(userId: string): void {
    const now = Date.now();
    const made = this.#made.get(userId);
    if (made && now - made.since < MINUTE_MS) {
      if (made.count >= PER_MINUTE)
        throw new Refusal(429, 'Too many passes at once. Please wait a minute and try again.');
      made.count += 1;
      return;
    }
    if (this.#made.size >= KEPT_MOST) this.#made.clear();
    this.#made.set(userId, { since: now, count: 1 });
  }
}
