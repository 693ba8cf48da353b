/** A command finds the stack of a data folder by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeLock } from './launch/lock.js';
import { KeptPorts, secretsOf } from './settings.js';
import { portNames } from './stack/parts.js';
import { environmentOf } from './stores.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stores-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const given = (): Record<string, string> => ({ ENCORE_DATA: folder });

describe('the stack of a data folder', () => {
  it('is named as missing where the folder has no data', () =>
    expect(environmentOf(given(), 'audit')).toEqual({ missing: folder }));

  it('is named where nothing runs on it', () => {
    secretsOf(folder);
    expect(environmentOf(given(), 'audit')).toEqual({ stopped: folder });
  });

  it('is reached by its kept ports and secrets, by the auditor as the auditor', async () => {
    const secrets = secretsOf(folder);
    const ports = await new KeptPorts(folder).take(portNames(1), []);
    writeLock(folder, 'http://localhost:3000', []);
    const [audit, owner] = (['audit', 'owner'] as const).map((role) => environmentOf(given(), role));
    expect(audit).toMatchObject({
      env: {
        NODE_ENV: 'development',
        EVENTSTORE_URL: expect.stringContaining(`:${ports['eventstore']}`),
        DATABASE_URL: expect.stringContaining(`encore_audit:${secrets.POSTGRES_AUDIT_PASSWORD}@`),
        ENCORE_MASTER_KEY: secrets.ENCORE_MASTER_KEY,
        TRANSPARENCY_KEY: secrets.TRANSPARENCY_KEY,
      },
    });
    expect(owner).toMatchObject({
      env: { DATABASE_URL: expect.stringContaining(`:${secrets.POSTGRES_PASSWORD}@`) },
    });
  });
});
