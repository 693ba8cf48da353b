// jsdom with what it lacks and browsers have, taken from Node: without it no call can be made and no body
// read.
import { TestEnvironment } from 'jest-environment-jsdom';

const FROM_NODE = [
  'fetch',
  'Request',
  'Response',
  'Headers',
  'FormData',
  'AbortController',
  'AbortSignal',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'TextEncoder',
  'TextDecoder',
  'structuredClone',
  'BroadcastChannel',
];

export default class BrowserEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of FROM_NODE) this.global[name] = globalThis[name];
    const { isStrict, timeZone } = config.projectConfig.testEnvironmentOptions;
    this.global.isStrict = isStrict === true;
    // Of the whole process, until the suite ends: nobody but Node knows the zones.
    this.zoneBefore = process.env.TZ;
    if (timeZone !== undefined) process.env.TZ = timeZone;
  }

  async teardown() {
    if (this.zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = this.zoneBefore;
    await super.teardown();
  }

  // What decides between the web's packages for browsers and those for Node, and finds our own sources.
  exportConditions() {
    return ['source', 'browser', 'module'];
  }
}
