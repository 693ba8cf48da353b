/** A person's own code and the files of the passes that show it. Apart from the schemas, for browsers. */

export const PASS_FILE = 'encore-payment.pkpass';
export const QR_PASS_FILE = 'encore-qr-payment.pkpass';

/** What marks a QR code of ours as one to pay by. */
const QR_PAYMENT_MARKER = 'encore_payment';

/** A person’s own QR code (spec §3): read by the app’s scanner. */
export const ownQrContent = (user: { readonly id: string; readonly username: string }): string =>
  JSON.stringify({ userId: user.id, username: user.username, type: QR_PAYMENT_MARKER });
