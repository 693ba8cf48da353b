/**
 * What the app has none of. Several requirements of docs/reference/asvs.md hold because a technology is not
 * there; whoever brings it in fails this suite, and finds the requirements that then need an answer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { repositoryRoot } from '#local/launch/program';

const root = repositoryRoot();
const CODE = [
  'contracts',
  'log',
  'edge',
  'ledger',
  'projections',
  'workers',
  'audit',
  'processes',
  'web/src',
];
const IS_TEST = /\.(spec|test)\.tsx?$/;

const sources = CODE.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !IS_TEST.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
).map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));

/** Where the app's code has this, comments left out. */
const placesOf = (pattern: RegExp): string[] =>
  sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
    }),
  ),
});
const lock = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))).packages;
const ofApp = Object.entries(lock).filter(
  ([name, { dev }]) => name.includes('node_modules/') && dev !== true,
);
const needed = Object.keys(
  Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).dependencies,
);

describe('the packages that the app declares', () => {
  it.each([
    ['LDAP', /ldap/i],
    ['XPath or SOAP', /xpath|soap/i],
    ['LaTeX', /latex/i],
    ['memcached', /memcache/i],
    ['GraphQL', /graphql|apollo/i],
    ['WebSocket', /^ws$|socket\.io|websocket/i],
    ['SAML', /saml/i],
    ['WebRTC, TURN or STUN', /webrtc|turn|stun|mediasoup/i],
    ['text messages or one-time passwords', /twilio|vonage|otp|speakeasy/i],
    ['a template language or a Markdown reader', /handlebars|mustache|ejs|pug|nunjucks|marked|markdown/i],
    ['an archive reader', /unzip|^tar$|adm-zip|decompress/i],
    ['a data store other than Postgres, Redis and EventStoreDB', /mongo|mysql|sqlite|couch|neo4j|elastic/i],
    ['something that tracks people', /analytics|segment|mixpanel|sentry|hotjar|amplitude/i],
  ])('have no %s', (_what, pattern) => expect(needed.filter((name) => pattern.test(name))).toEqual([]));

  it('are locked to what was published, each by its hash', () => {
    const unproven = ofApp.filter(([, { integrity, link }]) => link !== true && integrity === undefined);
    expect(unproven.map(([name]) => name)).toEqual([]);
  });
});

/** A server's certificate is looked at to say what is wrong with it; nothing is sent. */
const LOOKS_AT_CERTIFICATES = 'log/event-store/trouble.ts';
/** How long to wait is no secret. */
const isWait = (line: string): boolean => /sleep\(|Ms\b/.test(line);

describe('the code of the app', () => {
  it.each([
    ['runs a text as code', /(?<!\.)\beval\(|new Function\(|vm\.run|setTimeout\(\s*['"`]/],
    ['runs a shell', /from 'node:child_process'/],
    ['puts a text into a page as markup', /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|document\.write/],
    [
      'listens to messages of other windows',
      /(?<![.\w])addEventListener\(\s*'message'|(window|self)\.(onmessage|addEventListener\(\s*'message')/,
    ],
    ['opens a WebSocket or a peer connection', /new WebSocket|RTCPeerConnection|@WebSocketGateway/],
    ['reads binary objects of a client', /v8\.deserialize|serialize-javascript|msgpack/],
    [
      'shows a plugin, or asks what only old browsers have',
      /^\s*<(object|embed|applet)\b|ActiveXObject|document\.all\b|showModalDialog|execCommand\(/,
    ],
    ['uses a broken hash or a mode without authentication', /'(md5|sha1|aes-\d+-(ecb|cbc|ctr))'/i],
  ])('never %s', (_what, pattern) => expect(placesOf(pattern)).toEqual([]));

  it('never makes a value that can be guessed, but for how long to wait', () =>
    expect(placesOf(/Math\.random\(\)/).filter((place) => !isWait(place))).toEqual([]));

  it('calls other servers in a few places, each at an address that a setting names', () => {
    const calls = placesOf(/(?<![.\w])fetch\(|\bhttps?\.(request|get)\(/).filter(
      (place) => !place.startsWith('web/'),
    );
    expect([...new Set(calls.map((place) => place.split(':')[0]))].sort()).toEqual([
      // What a witness or an auditor names on the command line.
      'audit/transparency/tree-at.ts',
      // In a page, of the server that it came from.
      'ledger/account-recovery/refusal-page.controller.ts',
      // OIDC_ISSUER, or OIDC_INTERNAL_URL for addresses of that issuer.
      'ledger/identity/identity-provider.ts',
      // LEDGER_INTERNAL_URL.
      'workers/ledger-client.ts',
    ]);
  });

  it('takes a token from a request’s header in two places, and for no person', () =>
    expect(
      placesOf(/headers\.authorization|headers\[['"]authorization/i).map((place) => place.split(':')[0]),
    ).toEqual([
      // Figures, for METRICS_TOKEN.
      'edge/figures-access.ts',
      // Workers and operators, at a port of its own.
      'ledger/http/internal-port.ts',
    ]));

  it('never asks a request where the app is: addresses are made of PUBLIC_URL', () => {
    const asks =
      /\b(?:req|request)\.(?:host|hostname|protocol|originalUrl)\b|headers\.host\b|headers\[['"]host|x-forwarded-(?!for|\*)|['"]forwarded['"]|\{[^}]*\b(?:host|hostname|protocol)\b[^}]*\}(?:: FastifyRequest|\s*=\s*req)/i;
    expect(placesOf(asks).map((place) => place.split(':')[0])).toEqual([
      // A page for operators, which answers to the names of this machine alone.
      'workers/operators/queue-pages.ts',
    ]);
  });

  it('keeps no memory by itself: nothing is compiled to the machine, and two buffers are written before they are read', () => {
    const compiled = CODE.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.(c|cc|cpp|h|rs|zig|wasm|node|gyp)$/.test(name),
      ),
    );
    expect(compiled).toEqual([]);
    const places = placesOf(/allocUnsafe|process\.dlopen|SharedArrayBuffer|new Buffer\(/);
    expect(places.map((place) => place.split(':')[0])).toEqual([
      // Written to its last byte before it is hashed.
      'log/chain.ts',
      // Read as far as the file has filled it.
      'audit/exported-log/segments.ts',
    ]);
  });

  it('never talks to a server whose certificate is not checked', () =>
    expect(
      placesOf(/rejectUnauthorized: false|NODE_TLS_REJECT_UNAUTHORIZED/).filter(
        (place) => !place.startsWith(`${LOOKS_AT_CERTIFICATES}:`),
      ),
    ).toEqual([]));
});
