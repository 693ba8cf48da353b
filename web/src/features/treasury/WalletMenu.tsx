/** What else can be done with a wallet. */
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';

export type WalletAct = 'rename' | 'close';

interface WalletMenuProps {
  /** The button that it opens from. */
  readonly anchor: HTMLElement;
  readonly onChoose: (act: WalletAct) => void;
  readonly onClose: () => void;
}

export default function WalletMenu({ anchor, onChoose, onClose }: WalletMenuProps) {
  return (
    // Within the page's main part, as whoever moves by landmarks expects of it.
    <Menu
      open
      disablePortal
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
    >
      <MenuItem onClick={() => onChoose('rename')}>Rename Wallet</MenuItem>
      <MenuItem onClick={() => onChoose('close')}>Close Wallet</MenuItem>
    </Menu>
  );
}
