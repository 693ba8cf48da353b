/**
 * A camera for Chromium: a file of video frames that it plays to whoever asks for a camera. The file is read
 * when the camera is opened, so what it shows may be chosen late.
 *
 *     const camera = new FakeCamera();
 *     const browser = await openBrowser({ flags: camera.flags });
 *     camera.shows(await milo.page.getByRole('img', { name: 'QR' }).screenshot());
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import QRCode from 'qrcode';
import type { Page } from 'playwright-core';
import { readPng, type Picture } from './picture.js';

const WIDTH = 640;
const HEIGHT = 480;
/** Part of the frame's height that the picture fills: what is held before a camera is not cut off. */
const FILLED = 0.8;
const FRAMES = 2;
const WALL = 200;

export class FakeCamera {
  readonly #folder = mkdtempSync(join(tmpdir(), 'encore-camera-'));
  readonly #file = join(this.#folder, 'camera.y4m');

  constructor() {
    this.#film(() => WALL);
  }

  /** For the browser's start. */
  get flags(): string[] {
    return [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${this.#file}`,
    ];
  }

  /** Holds a picture (a PNG) before the camera. */
  shows(png: Buffer): void {
    this.showsPicture(readPng(png));
  }

  /** Holds a QR code of this text before the camera. */
  showsCode(text: string): void {
    this.#showCode(text, () => false);
  }

  /**
   * Holds a code before the camera that is worn past reading: the marks in its corners are there, and little
   * else is right.
   */
  showsWornCode(text: string): void {
    const MARK = 9;
    this.#showCode(text, (x, y, size) => {
      const isOfMark = (x < MARK || x >= size - MARK) && (y < MARK || y >= size - MARK);
      return !isOfMark && (x * 7 + y * 11 + x * y) % 3 === 0;
    });
  }

  #showCode(text: string, isWrong: (x: number, y: number, size: number) => boolean): void {
    const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
    const quiet = 4;
    const size = modules.size + 2 * quiet;
    const rgb = Buffer.alloc(size * size * 3, 255);
    for (let y = 0; y < modules.size; y += 1)
      for (let x = 0; x < modules.size; x += 1)
        if (isWrong(x, y, modules.size) !== Boolean(modules.get(y, x)))
          rgb.fill(0, ((y + quiet) * size + x + quiet) * 3, ((y + quiet) * size + x + quiet + 1) * 3);
    this.showsPicture({ width: size, height: size, rgb });
  }

  /** Nothing but a wall. */
  showsNothing(): void {
    this.#film(() => WALL);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Holds a drawn picture before the camera. */
  showsPicture({ width, height, rgb }: Picture): void {
    const scale = Math.min((HEIGHT * FILLED) / height, (WIDTH * FILLED) / width);
    const [left, top] = [(WIDTH - width * scale) / 2, (HEIGHT - height * scale) / 2];
    this.#film((x, y) => {
      const [column, line] = [Math.floor((x - left) / scale), Math.floor((y - top) / scale)];
      if (column < 0 || line < 0 || column >= width || line >= height) return WALL;
      const at = (line * width + column) * 3;
      return 0.299 * rgb[at]! + 0.587 * rgb[at + 1]! + 0.114 * rgb[at + 2]!;
    });
  }

  /** YUV4MPEG2, 4:2:0, grey. */
  #film(brightnessAt: (x: number, y: number) => number): void {
    const grey = Buffer.alloc(WIDTH * HEIGHT);
    for (let y = 0; y < HEIGHT; y += 1)
      for (let x = 0; x < WIDTH; x += 1)
        grey[y * WIDTH + x] = 16 + Math.round((brightnessAt(x, y) * 219) / 255);
    const frame = Buffer.concat([Buffer.from('FRAME\n'), grey, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)]);
    const header = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`);
    // Whole or not at all: a camera may be opened at this moment.
    const unfinished = `${this.#file}.unfinished`;
    writeFileSync(unfinished, Buffer.concat([header, ...Array.from({ length: FRAMES }, () => frame)]));
    renameSync(unfinished, this.#file);
  }
}

/** What a browser says when it gives no camera. */
export type CameraError =
  | 'NotAllowedError'
  | 'NotFoundError'
  | 'NotSupportedError'
  | 'NotReadableError'
  | 'AbortError';

/** Every camera that the page asks for from its next navigation on ends in this error. */
export async function cameraFails(page: Page, error: CameraError): Promise<void> {
  await page.addInitScript((name) => {
    const fails = (): Promise<never> => Promise.reject(new DOMException('Simulated by a suite', name));
    Object.defineProperty(MediaDevices.prototype, 'getUserMedia', { configurable: true, value: fails });
  }, error);
}

/** The page finds no way to ask for a camera at all, as over plain http. */
export async function noCameraApi(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'mediaDevices', { configurable: true, get: () => undefined });
  });
}
