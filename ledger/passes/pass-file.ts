/**
 * One pass: what it says, and the signed file that a phone takes. The only file that knows passkit-generator.
 */
import { createHash } from 'node:crypto';
import { PKPass } from 'passkit-generator';
import { paymentLink } from '#contracts/api/passes';
import { decimalFromMinor } from '#contracts/plain/money';
import { ownQrContent } from '#contracts/plain/qr-content';
import type { PassCertificates } from './pass-certificates.js';
import { passImages } from './pass-images.js';

export interface PassRequest {
  /** Who is paid. */
  readonly payee: {
    readonly id: string;
    readonly username: string;
    /** Of their public tip page, where it is published: any camera opens it. */
    readonly tipPage?: string | undefined;
  };
  /** Undefined: whoever pays says how much. */
  readonly amountMinor: number | undefined;
  readonly description?: string | undefined;
}

let images: Readonly<Record<string, Buffer>> | undefined;

const dollars = (minor: number): string =>
  `$${decimalFromMinor(minor).replace(/\B(?=(\d{3})+(?=\.))/g, ',')}`;

/**
 * The signed file. The same request gives the same serial number, so a phone that has the pass replaces it.
 * With an amount the code is the payment link, which any camera follows; without one it is the address of the
 * person's tip page, or, where none is published, their own code, which the app reads: the link's page needs
 * an amount.
 */
export function passFile(publicUrl: string, request: PassRequest, certificates: PassCertificates): Buffer {
  const { payee, amountMinor, description } = request;
  const link = paymentLink(publicUrl, payee.id, { amountMinor, description });
  const page = payee.tipPage === undefined ? undefined : new URL(payee.tipPage, publicUrl).href;
  const serialNumber = createHash('sha256')
    .update(JSON.stringify([payee.id, amountMinor ?? null, description ?? null]))
    .digest('hex')
    .slice(0, 32);
  images ??= passImages();
  const pass = new PKPass(
    { ...images },
    { signerCert: certificates.certificatePem, signerKey: certificates.keyPem, wwdr: certificates.wwdrPem },
    {
      formatVersion: 1,
      passTypeIdentifier: certificates.passTypeId,
      teamIdentifier: certificates.teamId,
      organizationName: 'Encore',
      description: `Pay ${payee.username}`,
      serialNumber,
      logoText: 'Encore',
      backgroundColor: 'rgb(74, 13, 32)',
      foregroundColor: 'rgb(255, 244, 224)',
      labelColor: 'rgb(255, 190, 61)',
    },
  );
  pass.type = 'generic';
  pass.primaryFields.push({
    key: 'amount',
    label: 'AMOUNT',
    value: amountMinor === undefined ? 'Any amount' : dollars(amountMinor),
  });
  pass.secondaryFields.push({ key: 'payee', label: 'PAY TO', value: payee.username });
  if (description !== undefined)
    pass.auxiliaryFields.push({ key: 'description', label: 'FOR', value: description });
  pass.backFields.push(
    {
      key: 'how',
      label: 'How it works',
      value:
        amountMinor === undefined && page === undefined
          ? 'Show this code to whoever wants to pay. They scan it with Encore.'
          : 'Show this code to whoever wants to pay. They scan it with any camera.',
    },
    { key: 'link', label: 'Payment link', value: link },
    ...(page === undefined ? [] : [{ key: 'page', label: 'Tip page', value: page }]),
    { key: 'id', label: 'User ID', value: payee.id },
  );
  pass.setBarcodes({
    format: 'PKBarcodeFormatQR',
    message: amountMinor === undefined ? (page ?? ownQrContent(payee)) : link,
    messageEncoding: 'utf-8',
    altText: payee.username,
  });
  return pass.getAsBuffer();
}
