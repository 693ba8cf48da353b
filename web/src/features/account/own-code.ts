/** The content of my QR code, and its picture. */
import { toDataURL, toString as toMarkup } from 'qrcode';
import { ownQrContent } from '#contracts/plain/qr-content';

/** Black on white in both modes: many readers accept nothing else. */
const LOOK = { width: 300, margin: 2, color: { dark: '#000000', light: '#ffffff' } } as const;

interface Owner {
  readonly id: string;
  readonly username: string;
}

/** An SVG for the screen. */
export async function pictureOf(owner: Owner): Promise<string> {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await toMarkup(ownQrContent(owner), { ...LOOK, type: 'svg' }))}`;
}

/** An SVG of an address, which any camera opens. */
export const pictureOfAddress = async (address: string): Promise<string> =>
  `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await toMarkup(address, { ...LOOK, type: 'svg' }))}`;

/** A file name and its content. */
export interface NamedFile {
  readonly name: string;
  readonly url: string;
}

/** A username without the characters that a file name may not have. */
const inFileName = (username: string): string => username.replace(/[^\p{L}\p{N}._-]+/gu, '-');

/** A PNG for print of the address of a tip page. */
export async function fileOfAddress(username: string, address: string): Promise<NamedFile> {
  const url = await toDataURL(address, { ...LOOK, type: 'image/png' });
  return { name: `${inFileName(username)}-tip-page-qr-code.png`, url };
}

/** A PNG for print. */
export async function fileOf(owner: Owner): Promise<NamedFile> {
  return {
    name: `${inFileName(owner.username)}-qr-code.png`,
    url: await toDataURL(ownQrContent(owner), { ...LOOK, type: 'image/png' }),
  };
}
