/**
 * The browser for suites: Chromium's headless shell, where the machine has it or it was unpacked before; else
 * the machine's Chromium; else the shell, unpacked from its Debian packages without installing it.
 *
 *     const browser = await openBrowser();
 */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { cacheFolder, hasDebianPackages, libraryFolders, unpackDebianPackages } from '#local/debian/package';

/** The same browser without the window's machinery: a fifth less to compute. */
const SHELL = 'chromium-headless-shell';
const NAMES = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Google Chrome',
];
const USUAL_FOLDERS = [
  '/usr/local/bin',
  '/usr/bin',
  '/snap/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
];
const PACKAGES = ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'];
// No sandbox: suites run as root and in containers, and open nothing but our own pages.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];

/** A browser that can be started, and the environment it needs. */
interface ChromiumInstallation {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/** Finds Chromium on this machine, or fetches it. Throws one sentence that says what to install. */
export async function installedChromium(): Promise<ChromiumInstallation> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter((entry) => entry !== ''),
    ...USUAL_FOLDERS,
  ];
  const unpacked = cacheFolder('chromium-headless-shell');
  const executablePath = join(unpacked, 'usr/lib/chromium', SHELL);
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = places.find((place) => basename(place) === SHELL && isProgram(place));
  if (found !== undefined) return { executablePath: found, env: inherited };
  const sentence =
    'The browser suites need Chromium: install it (apt-get install chromium, brew install --cask google-chrome).';
  if (!isProgram(executablePath)) {
    const whole = places.find(isProgram);
    if (whole !== undefined) return { executablePath: whole, env: inherited };
    if (!hasDebianPackages()) throw new Error(sentence);
    try {
      await unpackDebianPackages(PACKAGES, unpacked);
    } catch (failure) {
      throw new Error(`${sentence} (Fetching its packages failed.)`, { cause: failure });
    }
  }
  // A browser that finds no font at all ends as soon as it has to fall back to one; the usual folders do not
  // exist here.
  const fonts = join(unpacked, 'fonts.conf');
  writeFileSync(
    fonts,
    `<?xml version="1.0"?><fontconfig><dir>${join(unpacked, 'usr/share/fonts')}</dir><cachedir>${join(unpacked, 'fonts-cache')}</cachedir></fontconfig>\n`,
  );
  return {
    executablePath,
    env: { ...inherited, LD_LIBRARY_PATH: libraryFolders(unpacked).join(':'), FONTCONFIG_FILE: fonts },
  };
}

/** Opens a browser without a window; whoever opens it closes it. `flags` are Chromium's own. */
export async function openBrowser({ flags = [] }: { flags?: readonly string[] } = {}): Promise<Browser> {
  return chromium.launch({ ...(await installedChromium()), args: [...FLAGS, ...flags] });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
