import { describe, expect, it } from '@jest/globals';
import QRCode from 'qrcode';
import { ownQrContent } from '#contracts/plain/qr-content';
import { fileOf, pictureOf } from './own-code.js';

const OWNER = { id: 'juno-1', username: 'juno/plays' };

describe('the picture of a code', () => {
  it('has a margin of two, in black on white', async () => {
    const markup = decodeURIComponent(
      (await pictureOf(OWNER)).replace(/^data:image\/svg\+xml;charset=utf-8,/, ''),
    );
    const { size } = QRCode.create(ownQrContent(OWNER), {}).modules;
    const whole = size + 2 * 2;
    expect(markup).toContain('width="300" height="300"');
    expect(markup).toContain(`viewBox="0 0 ${whole} ${whole}"`);
    expect(markup).toContain(`fill="#ffffff" d="M0 0h${whole}v${whole}H0z"`);
    expect(markup).toContain('stroke="#000000"');
    // What is drawn first lies two modules in, and two down: the corner of the first finder.
    expect(markup).toContain('d="M2 2.5h7');
  });

  it('is a PNG under the username, without what a file’s name may not hold', async () => {
    const { name, url } = await fileOf(OWNER);
    expect(name).toBe('juno-plays-qr-code.png');
    expect(url).toMatch(/^data:image\/png;base64,/);
  });
});
