/** The health check finds out by itself what runs in its container. */
import { describe, expect, it } from '@jest/globals';
import { roleIn } from './role.js';

describe('the role of a container', () => {
  const beside = ['/sbin/docker-init', '--', 'encore', 'ledger'];
  it('is seen among the processes, with the port that is set', () => {
    const lines = [beside, ['node', '--max-semi-space-size=64', 'dist/ledger/main.js', '']];
    expect(roleIn(lines, {})).toEqual({ role: 'ledger', port: 3001, path: '/readyz' });
    expect(roleIn(lines, { LEDGER_PORT: '4001' })).toEqual({ role: 'ledger', port: 4001, path: '/readyz' });
  });
  it('is a stand-in, with the port it was given', () =>
    expect(
      roleIn([['node', 'dist/local/eventstore/main.js', '--host', '0.0.0.0', '--data', '/data', '--port', '2113', '']], {}),
    ).toEqual({ role: 'local/eventstore', port: 2113, path: undefined }));
  it('is none where only a command or the check itself runs', () =>
    expect(
      roleIn(
        [
          ['node', 'dist/audit/main.js', 'verify'],
          ['node', 'dist/local/containers/healthy.js'],
        ],
        {},
      ),
    ).toBeUndefined());
});
