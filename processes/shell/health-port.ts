/** The port of a process that serves nobody else: is it alive, is it ready, and its figures. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { FIGURES_REFUSED, mayReadFigures } from '#edge/figures-access';
import { ALIVE, askedOnce, withoutReasons, type Ready } from '#edge/health';

interface HealthPort {
  readonly port: number;
  close(): void;
}

interface HealthPortOptions {
  readonly port: number;
  readonly host: string;
  readonly ready: () => Promise<Ready>;
  readonly registry: Registry;
  /** What is shown at /metrics, and for the reasons at /readyz, by who is not on this host. */
  readonly figuresToken: string | undefined;
}

type Answer = readonly [status: number, body: object | string];

/** Listens; port 0 picks a free one. */
export async function openHealthPort({
  port,
  host,
  ready,
  registry,
  figuresToken,
}: HealthPortOptions): Promise<HealthPort> {
  const isReady = askedOnce(ready);
  const figures = askedOnce(() => registry.metrics());
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { method } = request;
    const path = request.url?.split('?')[0];
    if (method !== 'GET' && method !== 'HEAD') return [405, { message: 'Only reading is possible here.' }];
    if (path === '/healthz') return [200, ALIVE];
    if (path === '/readyz') {
      const answer = await isReady();
      const told = mayReadFigures(request, figuresToken) ? answer : withoutReasons(answer);
      return [answer.ready ? 200 : 503, told];
    }
    if (path === '/metrics')
      return mayReadFigures(request, figuresToken)
        ? [200, await figures()]
        : [401, { message: FIGURES_REFUSED }];
    return [404, { message: 'There is /healthz, /readyz and /metrics.' }];
  };
  const server = createServer((request, response) => {
    void answerTo(request)
      .catch((): Answer => [500, { message: 'This could not be read.' }])
      .then(([status, body]) => {
        const type = typeof body === 'string' ? registry.contentType : 'application/json';
        response.writeHead(status, { 'content-type': type });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
