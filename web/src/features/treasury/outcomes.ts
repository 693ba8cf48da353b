/** What a person is told of what they do with wallets. */
import type { Outcome } from '../../shared/ui/outcome.js';

export const transfer: Outcome<unknown> = {
  label: 'Add funds',
  done: () => ['Transfer Initiated', 'Your fund transfer has been initiated.'],
  failed: 'Failed to initiate transfer. Please try again.',
  plainToast: true,
};

export const withdraw: Outcome<unknown> = {
  label: 'Withdraw',
  done: () => ['Funds Withdrawn', 'They are back in your available balance.'],
  failed: 'Failed to withdraw funds. Please try again.',
  plainToast: true,
};

export const createWallet: Outcome<unknown> = {
  label: 'New wallet',
  done: () => ['Treasury Wallet Created', 'Your new treasury wallet has been created successfully.'],
  failed: 'Failed to create treasury wallet. Please try again.',
  plainToast: true,
};

export const renameWallet: Outcome<unknown> = {
  label: 'Rename a wallet',
  done: () => ['Wallet Renamed', 'It has its new name in your history, too.'],
  failed: 'Failed to rename the wallet. Please try again.',
  plainToast: true,
};

export const closeWallet: Outcome<unknown> = {
  label: 'Close a wallet',
  done: () => ['Wallet Closed', 'What was in it is in your available balance.'],
  failed: 'Failed to close the wallet. Please try again.',
};
