/**
 * What the API's description says of a call, told where the call is: `@ApiCall({ … })` beside `@Post()`. The
 * rest is read from what Nest knows of the method: its path, its status, and the schemas that its arguments
 * are validated by.
 */
import { createParamDecorator, RequestMethod, type ExecutionContext, type Type } from '@nestjs/common';
import {
  CUSTOM_ROUTE_ARGS_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { IDEMPOTENCY_KEY_HEADER, PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { isGuarded, type ProofLine } from './proof.js';
import { Validated } from './validated.js';

/** Statuses, and when they come. */
type Statuses = Readonly<Record<number, string>>;

interface CallDescription {
  readonly summary: string;
  readonly answer?: z.ZodType;
  /** What kind of answer it is, where that is not JSON. */
  readonly answerType?: string;
  /** Its own statuses, beside those that every call of a signed-in user has. */
  readonly otherwise?: Statuses;
  /** A query that no schema validates. */
  readonly query?: z.ZodObject;
  /** Which proof it needs; each call that changes something has this line. */
  readonly proof?: ProofLine;
  /**
   * A GET that is answered from the log, since it guards or pays and must not be old: 503 while that is away.
   */
  readonly readsLog?: true;
  /** It needs no session, and all its statuses are among its own. */
  readonly open?: true;
}

/** A call of the API with all that is known of it. */
export interface ApiCallDescription extends Pick<
  CallDescription,
  'summary' | 'answer' | 'answerType' | 'readsLog' | 'open'
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With its parameters as `{name}`. */
  readonly path: string;
  readonly body?: z.ZodType | undefined;
  readonly query?: z.ZodObject | undefined;
  /** Which proof it needs; undefined for one that only reads. */
  readonly proof?: ProofLine | undefined;
  /** Whether a client's Idempotency-Key makes a repeat of it the same request. */
  readonly isKeyed: boolean;
  /** By name. */
  readonly headers: Readonly<Record<string, z.ZodType>>;
  /** Statuses other than 200. */
  readonly otherwise: Statuses;
}

const DESCRIPTION = 'encore:api-call';

export const BUSY: Statuses = {
  429: 'Too often; Retry-After says how long to wait',
  503: 'Not now; the same request may be sent again',
};
const DONE: Statuses = { 204: 'Done' };
const SIGNED_IN: Statuses = { 401: 'Signed out: the message is Unauthorized', ...BUSY };
const ASKS_FOR_PROOF: Statuses = {
  403: 'Confirm first: with a passkey (the code is passkey_required), or by a fresh sign-in (sign_in_required)',
};

/** A method that answers what the schema of the answer says. */
type Answering<S extends z.ZodType> = (...args: never[]) => z.output<S> | Promise<z.output<S>>;

/** Describes the call that a controller's method answers. A JSON answer has the type of its schema. */
export function ApiCall<S extends z.ZodType>(
  description: CallDescription & { readonly answer: S; readonly answerType?: undefined },
): <T extends Answering<S>>(target: object, name: string, method: TypedPropertyDescriptor<T>) => void;
export function ApiCall(description: CallDescription): MethodDecorator;
export function ApiCall(description: CallDescription) {
  return (_target: object, _name: string | symbol, method: PropertyDescriptor): void =>
    Reflect.defineMetadata(DESCRIPTION, description, method.value as object);
}

const header = createParamDecorator(
  (name: string, context: ExecutionContext): unknown =>
    context.switchToHttp().getRequest<FastifyRequest>().headers[name],
);

/** One header of the request, read by its schema. */
export const ValidatedHeader = (name: string, schema: z.ZodType): ParameterDecorator =>
  header(name, new Validated(schema));

/** The key under which a client sends the same request again; one of its own for a client that sends none. */
export const ClientKey = (): ParameterDecorator =>
  ValidatedHeader(
    IDEMPOTENCY_KEY_HEADER,
    IdempotencyKey.optional().transform((key) => key ?? uuidv7()),
  );

/** What Nest notes of a method's argument. */
interface Argument {
  readonly data?: unknown;
  readonly pipes: readonly unknown[];
}

/** The schemas that a method's arguments are validated by. */
function schemasOf(controller: Type, name: string) {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Argument>;
  const found: { body?: z.ZodType; query?: z.ZodObject; headers: Record<string, z.ZodType> } = {
    headers: {},
  };
  for (const [kind, { data, pipes }] of Object.entries(args)) {
    const schema = pipes.find((pipe) => pipe instanceof Validated)?.schema;
    if (schema === undefined) continue;
    if (kind.startsWith(`${RouteParamtypes.BODY}:`)) found.body = schema;
    else if (kind.startsWith(`${RouteParamtypes.QUERY}:`)) found.query = schema as z.ZodObject;
    else if (kind.includes(CUSTOM_ROUTE_ARGS_METADATA)) found.headers[String(data)] = schema;
  }
  return found;
}

/** Whether a controller's method is described as a call. */
export const isDescribed = (handler: object): boolean => Reflect.hasMetadata(DESCRIPTION, handler);

/** Whether a controller's method answers from the log. */
export const readsLog = (handler: object): boolean =>
  (Reflect.getMetadata(DESCRIPTION, handler) as CallDescription | undefined)?.readsLog === true;

/** The call that a method of a controller answers; undefined for one that is no call of the API. */
export function callOf(controller: Type, name: string): ApiCallDescription | undefined {
  const handler = (controller.prototype as Record<string, object>)[name]!;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return undefined;
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const own = Reflect.getMetadata(PATH_METADATA, handler) as string;
  const path = `/${base}/${own}`
    .replaceAll(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
    .replaceAll(/:(\w+)/g, '{$1}');
  if (!path.startsWith('/api')) return undefined;
  const description = Reflect.getMetadata(DESCRIPTION, handler) as CallDescription | undefined;
  if (description === undefined)
    throw new Error(
      `${RequestMethod[method]} ${path} is not described: put @ApiCall({ … }) on ${controller.name}.${name}.`,
    );
  const { proof, otherwise, query, ...rest } = description;
  const asks = isGuarded(proof);
  const schemas = schemasOf(controller, name);
  return {
    ...rest,
    ...schemas,
    query: query ?? schemas.query,
    headers: { ...schemas.headers, ...(asks ? { [PASSKEY_PROOF_HEADER]: z.string().optional() } : {}) },
    proof,
    isKeyed: IDEMPOTENCY_KEY_HEADER in schemas.headers,
    method: RequestMethod[method].toLowerCase() as ApiCallDescription['method'],
    path,
    otherwise: {
      ...(Reflect.getMetadata(HTTP_CODE_METADATA, handler) === 204 ? DONE : {}),
      ...(rest.open ? {} : SIGNED_IN),
      ...(asks ? ASKS_FOR_PROOF : {}),
      ...otherwise,
    },
  };
}

/** Every call of the API that some controllers answer. Throws for one that nobody has described. */
export function callsOf(controllers: Iterable<Type>): ApiCallDescription[] {
  return [...new Set(controllers)].flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype)
      .filter(
        (name) => typeof Object.getOwnPropertyDescriptor(controller.prototype, name)?.value === 'function',
      )
      .flatMap((name) => callOf(controller, name) ?? []),
  );
}
