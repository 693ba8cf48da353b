/** The stage of a payment above its form; beside it on a desktop. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { COLUMNS, columnsOf } from '../../shared/ui/theme.js';

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 16,
  [COLUMNS]: { gridTemplateColumns: columnsOf(448), gap: 24, alignItems: 'start' },
  '& > *': { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 16 },
});

export function PaymentColumns({
  stage,
  children,
}: {
  readonly stage: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Columns>
      <div>{stage}</div>
      <div>{children}</div>
    </Columns>
  );
}
