/** The look of the report: the app's colours and type, in both schemes, and black on white on paper. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#F7F4F5;--surface:#FFFFFF;--sunken:#EFE9EB;--line:#E5DCDF;--control:#8C7A82;--ink:#1D1014;--ink2:#5F4E55;--primary:#7A1435;--stage:#4A0D20;--beam:#591228;--pool:#691832;--onStage:#FFF4E0;--onStage2:#E9C9CC;--stageLine:#B57D8B;--dot:#7A1435;--success:#0F6B3C;--successTint:#DDF3E5;--error:#B2271B;--errorTint:#FCE5E1;--pending:#6B5000;--pendingTint:#FFF0B8;--focus:#7A1435}
@media screen and (prefers-color-scheme:dark){:root{--bg:#140C0F;--surface:#1F1519;--sunken:#2A1E23;--line:#382930;--control:#8A757D;--ink:#F8F0F2;--ink2:#C2B0B6;--primary:#F5A9BC;--stage:#430B1C;--beam:#521024;--pool:#62152D;--onStage2:#E6C5C9;--stageLine:#AF7786;--dot:#FFBE3D;--success:#74DBA4;--successTint:#10301F;--error:#FF9F92;--errorTint:#471710;--pending:#FFD866;--pendingTint:#3A2D06;--focus:#FFBE3D}}
*{box-sizing:border-box;margin:0}
html{background:var(--bg);-webkit-text-size-adjust:100%;scroll-padding:16px}
body{font-family:Archivo,system-ui,sans-serif;font-size:15px;line-height:22px;color:var(--ink);font-variant-numeric:tabular-nums lining-nums;-webkit-font-smoothing:antialiased}
svg{display:block;flex:none}
a{color:inherit}
a:focus-visible,input:focus-visible,summary:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:4px}
h1{font-size:26px;line-height:32px;font-weight:640;font-stretch:113%;letter-spacing:-.014em}
h2{font-size:17px;line-height:24px;font-weight:650;font-stretch:108%;letter-spacing:-.006em}
.s{font-size:13px;line-height:18px;color:var(--ink2)}
.page{max-width:1440px;margin:0 auto;padding:28px 48px;display:grid;grid-template-columns:minmax(0,1fr);gap:24px}
header{display:flex;align-items:center;gap:16px 20px;flex-wrap:wrap}
header h1{padding-left:20px;border-left:1px solid var(--line)}
header .made{margin-left:auto;text-align:right}
.wm{display:inline-flex;align-items:center;gap:7px;font-size:22px;line-height:24px;font-weight:680;font-stretch:118%;letter-spacing:-.025em}
.wm .dot{fill:var(--dot)}
.find{height:44px;width:340px;margin-left:8px;border:1px solid var(--control);border-radius:12px;background:var(--surface);display:flex;align-items:center;gap:10px;padding:0 14px}
.find[hidden]{display:none}
.find input{border:0;background:none;font:inherit;color:inherit;width:100%;height:100%}
.find input::placeholder{color:var(--ink2);opacity:1}
.find input:focus-visible{outline:0}.find:focus-within{outline:3px solid var(--focus);outline-offset:2px}
.top{display:grid;grid-template-columns:440px minmax(0,1fr);gap:24px}
.three{display:grid;grid-template-columns:minmax(0,440fr) minmax(0,400fr) minmax(0,456fr);gap:24px;align-items:stretch}
.card{background:var(--surface);border:1px solid var(--line);border-radius:16px;overflow:hidden;display:flex;flex-direction:column;min-width:0}
.stage{position:relative;background:var(--stage);color:var(--onStage);border:0;isolation:isolate;padding:24px 28px;min-height:252px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.stage>svg{position:absolute;left:0;top:0;width:100%;height:100%;z-index:-1}
.stage .s,.stage .lead span{color:var(--onStage2)}
.verdict{font-size:34px;line-height:40px;font-weight:620;font-stretch:116%;letter-spacing:-.022em;margin:2px 0 14px;max-width:320px;text-wrap:balance}
.lead{display:flex;align-items:baseline;gap:8px;padding:5px 0}
.lead b{font-weight:600;text-align:right;order:3;overflow-wrap:anywhere}
.lead span{color:var(--ink2);order:1;white-space:nowrap}
.lead:before{content:'';order:2;flex:1;min-width:16px;height:4px;background-image:radial-gradient(circle,var(--control) 0 .8px,transparent 1.15px);background-size:6px 4px;background-position:left bottom;background-repeat:round no-repeat;opacity:.8}
.stage .lead:before{background-image:radial-gradient(circle,var(--stageLine) 0 .8px,transparent 1.15px)}
.money{padding:18px 20px 14px 24px;justify-content:space-between;gap:8px}
.money .chart{width:100%;height:auto;max-height:210px}.narrow{display:none}
.between{display:flex;justify-content:space-between;align-items:baseline;gap:4px 16px;flex-wrap:wrap}
.hd{display:flex;justify-content:space-between;align-items:center;gap:12px;padding:0 20px;min-height:54px;border-bottom:1px solid var(--line);flex:none}
.hd .s{overflow-wrap:anywhere;text-align:right}
.chip{display:inline-flex;align-items:center;gap:5px;height:24px;padding:0 8px 0 6px;border-radius:6px;font-size:12.5px;line-height:24px;font-weight:620;white-space:nowrap}
.good{background:var(--successTint);color:var(--success)}.bad{background:var(--errorTint);color:var(--error)}.wait{background:var(--pendingTint);color:var(--pending)}
.checks{list-style:none;padding:0;display:flex;flex-direction:column;flex:1}
.checks li{display:flex;align-items:center;gap:4px 12px;padding:9px 20px;flex:1 0 auto;min-height:42px;border-bottom:1px solid var(--line)}
.checks li:last-child{border-bottom:0}
.checks span{flex:1;min-width:0}
.checks b{font-weight:560;color:var(--ink2);font-size:14px;line-height:18px;text-align:right;max-width:58%;overflow-wrap:anywhere}
.checks .no{font-weight:650}.checks .no b{color:var(--error)}
.ok{color:var(--success)}.no>svg{color:var(--error)}
.pad{padding:4px 20px 0}
.gh{font-size:13px;line-height:18px;font-weight:600;color:var(--ink2);padding:8px 0 6px}
.gh.more{margin-top:16px}
.bl{display:flex;justify-content:space-between;gap:12px;line-height:32px}
.bl a{text-decoration:none}.bl a:hover{text-decoration:underline;text-underline-offset:3px}
.bl b{font-weight:560;white-space:nowrap}
.bl.sum{border-top:1px solid var(--control);margin-top:4px;font-weight:640;line-height:36px}.bl.sum b{font-weight:660}
.foot{margin-top:auto;display:flex;align-items:center;gap:10px;min-height:56px;padding:8px 20px;border-top:1px solid var(--line);font-weight:640;flex:none}
.foot b{margin-left:auto;font-size:19px;font-weight:660;font-stretch:108%}
.gap{flex:none;height:24px}
.entries>.card{display:none;height:100%;border-color:transparent;outline:2px solid var(--primary);outline-offset:-2px}
.entries>.card:target{display:flex}
.entries:not(:has(:target))>.card:first-child{display:flex}
table{border-collapse:collapse;width:100%}
th{font-size:13px;line-height:18px;font-weight:600;color:var(--ink2);text-align:left;padding:8px 0;border-bottom:1px solid var(--line)}
td{min-height:36px;padding:7px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere;vertical-align:top}
tr:last-child td{border-bottom:0}
.r{text-align:right;white-space:nowrap;padding-left:12px;overflow-wrap:normal}
.legs{margin-top:10px}.legs .sum td{font-weight:650;border-top:1px solid var(--control)}
.path{list-style:none;padding:0;position:relative}
.path:before{content:'';position:absolute;left:7px;top:14px;bottom:14px;width:2px;background:var(--primary)}
.path li{display:flex;align-items:center;gap:14px;min-height:32px;position:relative;padding-left:30px;font-size:14px}
.path li:before{content:'';position:absolute;left:2px;top:10px;width:12px;height:12px;border-radius:50%;border:2px solid var(--primary);background:var(--surface)}
.path .end:before{background:var(--primary)}.path .end{font-weight:640}
.path code{font:inherit;font-weight:500;font-size:13px;margin-left:auto;color:var(--ink2);letter-spacing:.02em}
.path details{flex:1}.path summary{cursor:pointer;min-height:24px}
.path .all{display:flex;justify-content:space-between;gap:14px;min-height:28px}
.wrong{border-color:var(--error)}
.wrong h3{font-size:15px;line-height:22px;font-weight:640;padding:14px 20px 4px}
.wrong ul{padding:0 20px 14px 38px}.wrong li{padding:2px 0;overflow-wrap:anywhere}
.list{padding:0 20px}.list td{overflow-wrap:break-word}.list th:not(:last-child),.list td:not(:last-child){padding-right:16px}
.list tr:hover td{background:var(--bg)}.list a{font-weight:600;color:var(--primary);text-underline-offset:3px}
.none{padding:16px 20px}
@media (max-width:1199px){.page{padding:24px}.top{grid-template-columns:minmax(0,1fr)}.three{grid-template-columns:repeat(2,minmax(0,1fr))}.three .checked{grid-column:1/-1}header .made{margin-left:0;text-align:left;width:100%}}
@media (max-width:759px){.page{padding:20px 16px;gap:16px}.top,.three{grid-template-columns:minmax(0,1fr);gap:16px}.find{width:100%;margin:0}.checks li{flex-wrap:wrap}.checks span{flex:1 1 60%}.checks b{max-width:none;flex-basis:100%;text-align:left;padding-left:30px}.list .wide,.chart.wide{display:none}.chart.narrow{display:block}.money{padding:18px 16px 14px}.stage{padding:20px}.list{padding:0 16px}.pad{padding:4px 16px 0}}
@media (max-width:399px){header h1{padding-left:0;border:0;width:100%}.verdict{font-size:30px;line-height:36px}.lead{flex-wrap:wrap}.lead span{white-space:normal}.path .hash{display:none}}
@media print{.find,.list{display:none}.page{padding:0}.card{break-inside:avoid}}
`;
