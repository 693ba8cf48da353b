/**
 * The API's description out of what its calls say of themselves: an OpenAPI document, and a page that people
 * can read.
 */
import { z } from 'zod';
import { ErrorAnswer } from '#contracts/api/error';
import { POSITION_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import { escaped } from '#contracts/plain/html';
import type { ApiCallDescription } from '#edge/api-call';
import { sessionCookieName } from '../sessions/cookies.js';
import { isGuarded, type Guarded, type ProofLine } from '#edge/proof';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const json = (schema: z.ZodType, io: 'input' | 'output', type = 'application/json') => ({
  [type]: { schema: schemaOf(schema, io) },
});

function parametersOf(call: ApiCallDescription): object[] {
  const path = [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    in: 'path',
    name,
    required: true,
    schema: { type: 'string' },
  }));
  const query = Object.entries(call.query?.shape ?? {}).map(([name, schema]) => ({
    in: 'query',
    name,
    schema: schemaOf(schema as z.ZodType, 'input'),
  }));
  const headers = Object.entries(call.headers).map(([name, schema]) => ({
    in: 'header',
    name,
    schema: schemaOf(schema, 'input'),
  }));
  return [...path, ...query, ...headers];
}

const BY: Readonly<Record<'either' | NonNullable<Guarded['by']>, string>> = {
  either: 'a passkey, or a sign-in of the last ten minutes',
  'sign-in': 'a sign-in of the last ten minutes',
  passkey: 'a passkey',
  both: 'a sign-in of the last ten minutes, and a passkey where one is asked for',
};

/** Which proof a call needs, or why none. */
const proofText = (proof: ProofLine): string =>
  isGuarded(proof) ? `${proof.effect}: ${BY[proof.by ?? 'either']}` : `none: ${proof.none}`;

function operationOf(call: ApiCallDescription): object {
  const refused = Object.fromEntries(
    Object.entries(call.otherwise).map(([status, description]) => [
      status,
      Number(status) < 400 ? { description } : { description, content: json(ErrorAnswer, 'output') },
    ]),
  );
  return {
    summary: call.summary,
    ...(call.readsLog ? { 'x-encore-reads-log': true } : {}),
    ...(call.proof ? { 'x-encore-proof': proofText(call.proof) } : {}),
    parameters: parametersOf(call),
    ...(call.body ? { requestBody: { required: true, content: json(call.body, 'input') } } : {}),
    responses: {
      ...(call.answer
        ? { 200: { description: 'Done', content: json(call.answer, 'output', call.answerType) } }
        : {}),
      ...refused,
      default: { description: 'Refused, with a sentence', content: json(ErrorAnswer, 'output') },
    },
    ...(call.open ? { security: [] } : {}),
  };
}

/** The OpenAPI 3.1 document. */
export function openApi(calls: readonly ApiCallDescription[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) paths[call.path] = { ...paths[call.path], [call.method]: operationOf(call) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Encore',
      version: '1',
      description:
        `Amounts are decimal text in dollars. An answer to a change carries ${POSITION_HEADER}, its place in the log; ` +
        `${STALE_HEADER}: true says that lists may not show it yet. Every error is a status and { message }.`,
    },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(publicUrl) } },
    },
    security: [{ session: [] }],
    paths,
  };
}

const schemaText = (title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string =>
  schema
    ? `<details><summary>${title}</summary><pre>${escaped(JSON.stringify(schemaOf(schema, io), null, 2))}</pre></details>`
    : '';

/** The same as a page without scripts. */
export function apiPage(calls: readonly ApiCallDescription[], nonce: string): string {
  const sections = calls.map(
    (call) => `<section><h2><code>${call.method.toUpperCase()} ${escaped(call.path)}</code></h2>
<p>${escaped(call.summary)}${call.open ? ' Open to everyone.' : ''}${call.readsLog ? ' Read from the log: 503 while the event store is away.' : ''}</p>
${isGuarded(call.proof) ? `<p>Needs a proof (${call.proof.effect}): ${BY[call.proof.by ?? 'either']}${call.proof.when ? ', unless the body says otherwise' : ''}.</p>\n` : ''}${Object.keys(
      call.headers,
    )
      .map((name) => `<p>Header <code>${name}</code>, optional.</p>`)
      .join('')}
${schemaText('Query', call.query, 'input')}${schemaText('Body', call.body, 'input')}${schemaText('Answer', call.answer, 'output')}
<ul>${Object.entries(call.otherwise)
      .map(([status, when]) => `<li><code>${status}</code> ${escaped(when)}</li>`)
      .join('')}</ul></section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Encore API</title><style nonce="${nonce}">body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}
pre{background:#f4f4f6;padding:1rem;overflow:auto}h2{font-size:1.1rem;margin-top:2rem}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#eee}pre{background:#222228}a{color:#9bf}}</style></head>
<body><h1>Encore API</h1><p>Every error is a status and <code>{ "message": … }</code>.
Signed out, every call but the open ones answers 401. Machines read <a href="/api/openapi.json">/api/openapi.json</a>.</p>
${sections.join('\n')}</body></html>`;
}
