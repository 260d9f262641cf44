// A library's page: copy buttons, charts on first use, weights.
import "./copy.js";
import { offerCharts } from "./chart.js";
import { offerWeights } from "./weights.js";

offerCharts();
const section = document.querySelector("#weigh[data-source]");
if (section) offerWeights(section);
