/** The app's font, for pages that an audit writes: as the web app was built with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { webFolder } from '../shell/web-folder.js';

/** Archivo as woff2, or undefined where the web app is not part of this installation. */
export function archivo(): Buffer | undefined {
  const folder = join(webFolder(), 'assets');
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => /^archivo-latin-(?!ext).*\.woff2$/.test(each));
  return name === undefined ? undefined : readFileSync(join(folder, name));
}
