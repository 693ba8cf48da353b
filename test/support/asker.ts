/** Who asks for a command of the journal, as specs and the simulator tell it. */
import type { JournalCommand } from '#ledger/journal/commands';

/** Who asks for a command; undefined for what the provider, time or an operator does. */
export function askerOf(command: JournalCommand): string | undefined {
  switch (command.type) {
    case 'OpenPayment':
    case 'PostTransfer':
      return command.payerId;
    case 'OpenAccount':
    case 'RequestPayout':
    case 'OpenWallet':
    case 'FundWallet':
    case 'WithdrawWallet':
    case 'CloseWallet':
    case 'RenameWallet':
      return command.userId;
    default:
      return undefined;
  }
}
