/** What my code says, and its picture. */
import { toDataURL, toString as toMarkup } from 'qrcode';
import { ownQrContent } from '#contracts/plain/qr-content';

/** Black on white in both modes: many readers know no other. */
const LOOK = { width: 300, margin: 2, color: { dark: '#000000', light: '#ffffff' } } as const;

interface Owner {
  readonly id: string;
  readonly username: string;
}

/** For the screen: sharp at any size. */
export async function pictureOf(owner: Owner): Promise<string> {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await toMarkup(ownQrContent(owner), { ...LOOK, type: 'svg' }))}`;
}

/** For a printer or a poster: a PNG file's name and content. */
export async function fileOf(owner: Owner): Promise<{ name: string; url: string }> {
  // What a username may hold and a file's name may not.
  const name = owner.username.replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return {
    name: `${name}-qr-code.png`,
    url: await toDataURL(ownQrContent(owner), { ...LOOK, type: 'image/png' }),
  };
}
