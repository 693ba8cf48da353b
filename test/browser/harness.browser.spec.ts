/** The suite's own instruments, each shown to find what it is there to find. */
import { describe, expect, it } from '@jest/globals';
import QRCode from 'qrcode';
import { axeFindings } from '#test/support/browser/accessibility';
import { cameraFails, noCameraApi, type CameraError } from '#test/support/browser/camera';
import { useGuests, type Guest } from '#test/support/browser/guest';
import { coveredTexts, cutOffTexts, layoutShift, sidewaysCulprits } from '#test/support/browser/layout';
import { motionSeen } from '#test/support/browser/motion';
import { readPng, smallPng, type Picture } from '#test/support/browser/picture';
import { beside, shrunkTo } from '#test/support/browser/screenshots';
import { useStack } from '#test/support/stack';

// The sign-in pages are enough of a page: secure, with a content policy, and of our make.
const stack = useStack(['all']);
const guests = useGuests(stack);

/** What the camera shows, as a page sees it: how dark the middle of the frame is at some places of a grid. */
async function seenThrough({ page }: Guest, size: number): Promise<boolean[]> {
  return page.evaluate(async (modules) => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: true });
    const video = document.createElement('video');
    Object.assign(video, { srcObject: stream, muted: true });
    await video.play();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
    const context = canvas.getContext('2d');
    if (!context) throw new Error('No canvas');
    context.drawImage(video, 0, 0);
    for (const track of stream.getTracks()) track.stop();
    // The code fills four fifths of the frame's height, its quiet edge included.
    const side = video.videoHeight * 0.8;
    const step = side / (modules + 8);
    const dark: boolean[] = [];
    for (let y = 0; y < modules; y += 1)
      for (let x = 0; x < modules; x += 1) {
        const left = (video.videoWidth - side) / 2 + (x + 4.5) * step;
        const top = (video.videoHeight - side) / 2 + (y + 4.5) * step;
        dark.push((context.getImageData(left, top, 1, 1).data[0] ?? 255) < 128);
      }
    return dark;
  }, size);
}

describe('the camera', () => {
  it('shows the code that is held before it, also one that is held later', async () => {
    const { guest, camera } = await guests.openWithCamera('Juno');
    await guest.goto('/');
    for (const text of ['usr_first', 'http://localhost/tip/usr_second']) {
      camera.showsCode(text);
      const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
      expect(await seenThrough(guest, modules.size)).toEqual([...modules.data].map(Boolean));
    }
  });

  it('fails as browsers say that cameras fail', async () => {
    for (const name of [
      'NotAllowedError',
      'NotFoundError',
      'NotSupportedError',
      'NotReadableError',
    ] as CameraError[]) {
      const guest = await guests.open('Juno');
      await cameraFails(guest.page, name);
      await guest.goto('/');
      const said = guest.page.evaluate(() =>
        navigator.mediaDevices
          .getUserMedia({ video: true })
          .catch((failure: unknown) => (failure as Error).name),
      );
      expect(await said).toBe(name);
      await guest.context.close();
    }
    const guest = await guests.open('Juno');
    await noCameraApi(guest.page);
    await guest.goto('/');
    expect(await guest.page.evaluate(() => typeof navigator.mediaDevices)).toBe('undefined');
  });
});

describe('a guest’s window', () => {
  it('tells of what goes wrong unseen: errors, and breaches of the content policy', async () => {
    const guest = await guests.open('Milo');
    await guest.goto('/');
    await guest.page.evaluate(() => {
      console.error('A handler failed.');
      const image = document.createElement('img');
      image.src = 'http://insecure.example/pixel.png';
      document.body.append(image);
      setTimeout(() => {
        throw new Error('Nobody catches this');
      });
    });
    const wanted = [/A handler failed/, /Content Security Policy/, /Nobody catches this/];
    await guest.page.waitForFunction(() => document.images.length > 0);
    const faults: string[] = [];
    while (!wanted.every((words) => faults.some((fault) => words.test(fault)))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      faults.push(...guest.takeFaults());
    }
  });

  it('tells which request was lost where a part of the app could not be loaded', async () => {
    const guest = await guests.open('Milo');
    await guest.goto('/');
    await guest.heading('Professional Payment Platform');
    const script = new URL('/assets/late.js', guest.url).href;
    const asked = guest.page.waitForRequest(script);
    await guest.page.route(script, () => undefined);
    const told = guest.page.waitForEvent('console', (message) =>
      message.text().includes('dynamically imported module'),
    );
    // By a script of the page's own: only those may load more.
    await guest.page.evaluate((url) => {
      const own = document.createElement('script');
      own.type = 'module';
      own.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')!.nonce;
      own.textContent = `import(${JSON.stringify(url)}).catch((error) => console.error(String(error)))`;
      document.head.append(own);
    }, script);
    await asked;
    await guest.page.evaluate(() => window.stop());
    await told;
    expect(guest.takeFaults().join('\n')).toMatch(
      /dynamically imported module: [^]*net::ERR_ABORTED http\S+\/assets\/late\.js/,
    );
  });

  it('is as large, as dark and as touched as was asked', async () => {
    const seen = ({ page }: Guest): Promise<unknown[]> =>
      page.evaluate(() => [
        innerWidth,
        innerHeight,
        devicePixelRatio,
        matchMedia('(prefers-color-scheme: dark)').matches,
        matchMedia('(pointer: coarse)').matches,
      ]);
    const phone = await guests.open('Juno', { scheme: 'dark' });
    await phone.goto('/');
    expect(await seen(phone)).toEqual([390, 844, 2, true, true]);
    const desktop = await guests.open('Juno', { device: 'desktop' });
    await desktop.goto('/');
    expect(await seen(desktop)).toEqual([1440, 906, 1, false, false]);
  });

  it('is measured: what cannot be read, what sticks out, is cut off or covered, what jumps or moves', async () => {
    const guest = await guests.open('Juno', { isMobile: false });
    const { page } = guest;
    await guest.goto('/');
    await guest.heading('Professional Payment Platform');
    // The app's own page has taken the place of the one that the server wrote: what is moved meanwhile is not
    // counted.
    await page.locator('#written').waitFor({ state: 'hidden' });
    expect(await sidewaysCulprits(page)).toEqual([]);
    expect(await cutOffTexts(page)).toEqual([]);
    expect(await coveredTexts(page)).toEqual([]);
    expect(await motionSeen(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThan(0.1);
    await page.evaluate(() => {
      const late = document.createElement('div');
      late.innerHTML = `<p id="faint">Hard to read</p><div id="wide">Wide</div><p id="cut">Too long to be read here</p><button></button><p>Read me</p><i id="over"></i>`;
      document.body.prepend(late);
      const style = (id: string, rules: Partial<CSSStyleDeclaration>): void =>
        void Object.assign(document.getElementById(id)?.style ?? {}, rules);
      style('faint', { color: '#eee', background: '#fff' });
      style('wide', { width: '900px', height: '300px' });
      style('over', {
        display: 'block',
        position: 'relative',
        height: '30px',
        margin: '-40px 0 40px',
        background: '#f0f',
      });
      const slide = [{ transform: 'none' }, { transform: 'translateX(9px)' }];
      document.getElementById('wide')?.animate(slide, { duration: 5 });
      document.getElementById('wide')?.dispatchEvent(new Event('animationstart', { bubbles: true }));
      style('cut', { width: '40px', overflow: 'hidden', whiteSpace: 'nowrap' });
    });
    const findings = (await axeFindings(page)).join('\n');
    expect(findings).toMatch(/color-contrast: .*\n\s+#faint – /);
    expect(findings).toMatch(/button-name/);
    expect((await sidewaysCulprits(page)).join('\n')).toMatch(/window of 390[^]*900/);
    expect(await cutOffTexts(page)).toContain('p: Too long to be read here');
    expect((await coveredTexts(page)).join('\n')).toMatch(/^Read me: under <i id="over"/);
    expect((await motionSeen(page)).join('\n')).toMatch(/^div\..*: transform for 5 ms, 1 times$/m);
    expect(await layoutShift(page)).toBeGreaterThan(0.1);
  });
});

describe('a picture', () => {
  const colourful = (colours: number): Picture => {
    const rgb = Buffer.alloc(64 * 48 * 3);
    for (let pixel = 0; pixel < 64 * 48; pixel += 1) rgb.writeUIntBE((pixel % colours) * 7, pixel * 3, 3);
    return { width: 64, height: 48, rgb };
  };

  it('that a browser took is read as it looks, and kept smaller with every pixel in its place', async () => {
    const guest = await guests.open('Juno');
    await guest.goto('/');
    const png = await guest.page.screenshot({ scale: 'css' });
    const picture = readPng(png);
    expect([picture.width, picture.height]).toEqual([390, 844]);
    const small = smallPng(picture);
    expect(small.length).toBeLessThan(png.length);
    const shown = await guest.page.evaluate(
      async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: image.width, height: image.height });
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        return [...(context?.getImageData(195, 100, 1, 1).data ?? [])].slice(0, 3);
      },
      `data:image/png;base64,${small.toString('base64')}`,
    );
    const at = (100 * 390 + 195) * 3;
    expect(shown).toEqual([...picture.rgb.subarray(at, at + 3)]);
  });

  it('of few colours loses nothing; of many, none is lost to the eye; two stand side by side', () => {
    expect(readPng(smallPng(colourful(256))).rgb.equals(colourful(256).rgb)).toBe(true);
    // Hundreds of near greys, and one lamp.
    const many = colourful(1);
    for (let pixel = 0; pixel < 64 * 48; pixel += 1)
      many.rgb.set([pixel % 251, pixel % 251, (pixel % 251) + (pixel % 4)], pixel * 3);
    many.rgb.writeUIntBE(0xffbe3d, 100 * 3, 3);
    const kept = readPng(smallPng(many)).rgb;
    expect(kept.readUIntBE(100 * 3, 3)).toBe(0xffbe3d);
    const furthest = kept.reduce((most, value, at) => Math.max(most, Math.abs(value - many.rgb[at]!)), 0);
    expect(furthest).toBeLessThan(24);
    const pair = beside(shrunkTo(colourful(9), 32), colourful(9));
    expect([pair.width, pair.height]).toEqual([32 + 24 + 64, 48]);
  });
});
