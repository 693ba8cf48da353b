/** The health check finds out by itself what runs in its container. */
import { describe, expect, it } from '@jest/globals';
import { roleIn } from './role.js';

describe('the role of a container', () => {
  const beside = ['/sbin/docker-init', '--', 'encore', 'ledger'];
  it('is seen among the processes, with the port that is set', () => {
    const lines = [beside, ['node', '--max-semi-space-size=64', 'dist/processes/ledger.js', '']];
    expect(roleIn(lines, {})).toEqual({ role: 'processes/ledger', port: 3001, path: '/readyz' });
    expect(roleIn(lines, { LEDGER_PORT: '4001' })).toEqual({
      role: 'processes/ledger',
      port: 4001,
      path: '/readyz',
    });
  });
  it('is a stand-in, with the port it was given', () =>
    expect(
      roleIn(
        [
          [
            'node',
            'dist/local/stand-ins/eventstore/main.js',
            '--host',
            '0.0.0.0',
            '--data',
            '/data',
            '--port',
            '2113',
            '',
          ],
        ],
        {},
      ),
    ).toEqual({ role: 'local/stand-ins/eventstore/main', port: 2113, path: undefined }));
  it('is none where only a command or the check itself runs', () =>
    expect(
      roleIn(
        [
          ['node', 'dist/processes/audit.js', 'verify'],
          ['node', 'dist/deploy/healthy.js'],
        ],
        {},
      ),
    ).toBeUndefined());
});
