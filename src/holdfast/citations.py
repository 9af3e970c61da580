"""Where methods, attacks and partitions come from, as BibTeX: each names its sources by their keys, in `cites`."""

from typing import Any

from holdfast import stages
from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS
from holdfast.errors import unknown
from holdfast.methods import make_method, reduction
from holdfast.methods.names import method_parts

_ENTRIES = r"""
@inproceedings{li2019rsa,
  author = {Li, Liping and Xu, Wei and Chen, Tianyi and Giannakis, Georgios B. and Ling, Qing},
  title = {{RSA}: {Byzantine}-robust stochastic aggregation methods for distributed learning from heterogeneous datasets},
  booktitle = {AAAI Conference on Artificial Intelligence},
  year = {2019},
}

@inproceedings{blanchard2017machine,
  author = {Blanchard, Peva and El Mhamdi, El Mahdi and Guerraoui, Rachid and Stainer, Julien},
  title = {Machine learning with adversaries: {Byzantine} tolerant gradient descent},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2017},
}

@inproceedings{elmhamdi2018hidden,
  author = {El Mhamdi, El Mahdi and Guerraoui, Rachid and Rouault, S{\'e}bastien},
  title = {The hidden vulnerability of distributed learning in {Byzantium}},
  booktitle = {International Conference on Machine Learning},
  year = {2018},
}

@inproceedings{elmhamdi2020genuinely,
  author = {El-Mhamdi, El-Mahdi and Guerraoui, Rachid and Guirguis, Arsany and Hoang, L{\^e} Nguy{\^e}n and Rouault, S{\'e}bastien},
  title = {Genuinely distributed {Byzantine} machine learning},
  booktitle = {ACM Symposium on Principles of Distributed Computing},
  year = {2020},
}

@incollection{rousseeuw1985multivariate,
  author = {Rousseeuw, Peter J.},
  title = {Multivariate estimation with high breakdown point},
  booktitle = {Mathematical Statistics and Applications},
  year = {1985},
}

@inproceedings{yin2018byzantine,
  author = {Yin, Dong and Chen, Yudong and Ramchandran, Kannan and Bartlett, Peter},
  title = {{Byzantine}-robust distributed learning: Towards optimal statistical rates},
  booktitle = {International Conference on Machine Learning},
  year = {2018},
}

@article{xie2018generalized,
  author = {Xie, Cong and Koyejo, Oluwasanmi and Gupta, Indranil},
  title = {Generalized {Byzantine}-tolerant {SGD}},
  journal = {arXiv preprint arXiv:1802.10116},
  year = {2018},
}

@article{xie2018phocas,
  author = {Xie, Cong and Koyejo, Oluwasanmi and Gupta, Indranil},
  title = {Phocas: dimensional {Byzantine}-resilient stochastic gradient descent},
  journal = {arXiv preprint arXiv:1805.09682},
  year = {2018},
}

@article{weiszfeld1937point,
  author = {Weiszfeld, Endre},
  title = {Sur le point pour lequel la somme des distances de $n$ points donn{\'e}s est minimum},
  journal = {Tohoku Mathematical Journal},
  volume = {43},
  pages = {355--386},
  year = {1937},
}

@article{vardi2000multivariate,
  author = {Vardi, Yehuda and Zhang, Cun-Hui},
  title = {The multivariate {$L_1$}-median and associated data depth},
  journal = {Proceedings of the National Academy of Sciences},
  volume = {97},
  number = {4},
  pages = {1423--1426},
  year = {2000},
}

@article{minsker2015geometric,
  author = {Minsker, Stanislav},
  title = {Geometric median and robust estimation in {Banach} spaces},
  journal = {Bernoulli},
  volume = {21},
  number = {4},
  pages = {2308--2335},
  year = {2015},
}

@inproceedings{karimireddy2021learning,
  author = {Karimireddy, Sai Praneeth and He, Lie and Jaggi, Martin},
  title = {Learning from history for {Byzantine} robust optimization},
  booktitle = {International Conference on Machine Learning},
  year = {2021},
}

@inproceedings{karimireddy2022byzantine,
  author = {Karimireddy, Sai Praneeth and He, Lie and Jaggi, Martin},
  title = {{Byzantine}-robust learning on heterogeneous datasets via bucketing},
  booktitle = {International Conference on Learning Representations},
  year = {2022},
}

@inproceedings{allouah2023fixing,
  author = {Allouah, Youssef and Farhadkhani, Sadegh and Guerraoui, Rachid and Gupta, Nirupam and Pinot, Rafael and Stephan, John},
  title = {Fixing by mixing: A recipe for optimal {Byzantine} {ML} under heterogeneity},
  booktitle = {International Conference on Artificial Intelligence and Statistics},
  pages = {1232--1300},
  year = {2023},
}

@inproceedings{allouah2023trilemma,
  author = {Allouah, Youssef and Guerraoui, Rachid and Gupta, Nirupam and Pinot, Rafael and Stephan, John},
  title = {On the privacy-robustness-utility trilemma in distributed learning},
  booktitle = {International Conference on Machine Learning},
  year = {2023},
}

@inproceedings{allouah2025towards,
  author = {Allouah, Youssef and Guerraoui, Rachid and Stephan, John},
  title = {Towards trustworthy federated learning with untrusted participants},
  booktitle = {International Conference on Machine Learning},
  year = {2025},
}

@inproceedings{allouah2025adaptive,
  author = {Allouah, Youssef and Guerraoui, Rachid and Gupta, Nirupam and Jellouli, Ahmed and Rizk, Geovani and Stephan, John},
  title = {Adaptive gradient clipping for robust federated learning},
  booktitle = {International Conference on Learning Representations},
  year = {2025},
}

@article{gupta2020byzantine,
  author = {Gupta, Nirupam and Liu, Shuo and Vaidya, Nitin H.},
  title = {{Byzantine} fault-tolerant distributed machine learning using stochastic gradient descent ({SGD}) and norm-based comparative gradient elimination ({CGE})},
  journal = {arXiv preprint arXiv:2008.04699},
  year = {2020},
}

@inproceedings{shejwalkar2021manipulating,
  author = {Shejwalkar, Virat and Houmansadr, Amir},
  title = {Manipulating the {Byzantine}: Optimizing model poisoning attacks and defenses for federated learning},
  booktitle = {Network and Distributed System Security Symposium},
  year = {2021},
}

@inproceedings{xia2019faba,
  author = {Xia, Qi and Tao, Zeyi and Hao, Zijiang and Li, Qun},
  title = {{FABA}: An algorithm for fast aggregation against {Byzantine} attacks in distributed neural networks},
  booktitle = {International Joint Conference on Artificial Intelligence},
  pages = {4824--4830},
  year = {2019},
}

@inproceedings{zuo2025efficient,
  author = {Zuo, Shiyuan and Yan, Xingrun and Fan, Rongfei and Shen, Li and Zhao, Puning and Xu, Jie and Hu, Han},
  title = {Efficient federated learning against {Byzantine} attacks and data heterogeneity via aggregating normalized gradients},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2025},
}

@inproceedings{bernstein2019signsgd,
  author = {Bernstein, Jeremy and Zhao, Jiawei and Azizzadenesheli, Kamyar and Anandkumar, Anima},
  title = {{signSGD} with majority vote is communication efficient and fault tolerant},
  booktitle = {International Conference on Learning Representations},
  year = {2019},
}

@inproceedings{baruch2019little,
  author = {Baruch, Gilad and Baruch, Moran and Goldberg, Yoav},
  title = {A little is enough: Circumventing defenses for distributed learning},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2019},
}

@inproceedings{xie2019fall,
  author = {Xie, Cong and Koyejo, Oluwasanmi and Gupta, Indranil},
  title = {Fall of empires: Breaking {Byzantine}-tolerant {SGD} by inner product manipulation},
  booktitle = {Conference on Uncertainty in Artificial Intelligence},
  year = {2019},
}

@inproceedings{fang2020local,
  author = {Fang, Minghong and Cao, Xiaoyu and Jia, Jinyuan and Gong, Neil Zhenqiang},
  title = {Local model poisoning attacks to {Byzantine}-robust federated learning},
  booktitle = {USENIX Security Symposium},
  year = {2020},
}

@article{peng2025mean,
  author = {Peng, Jie and Li, Weiyu and Vlaski, Stefan and Ling, Qing},
  title = {Mean aggregator is more robust than robust aggregators under label poisoning attacks on distributed heterogeneous data},
  journal = {Journal of Machine Learning Research},
  volume = {26},
  number = {27},
  pages = {1--51},
  year = {2025},
}

@article{lin2021stochastic,
  author = {Lin, Feng and Li, Weiyu and Ling, Qing},
  title = {Stochastic alternating direction method of multipliers for {Byzantine}-robust distributed learning},
  journal = {arXiv preprint arXiv:2106.06891},
  year = {2021},
}

@inproceedings{defazio2014saga,
  author = {Defazio, Aaron and Bach, Francis and Lacoste-Julien, Simon},
  title = {{SAGA}: A fast incremental gradient method with support for non-strongly convex composite objectives},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2014},
}

@article{wu2020federated,
  author = {Wu, Zhaoxian and Ling, Qing and Chen, Tianyi and Giannakis, Georgios B.},
  title = {Federated variance-reduced stochastic gradient descent with robustness to {Byzantine} attacks},
  journal = {IEEE Transactions on Signal Processing},
  volume = {68},
  pages = {4583--4596},
  year = {2020},
}

@inproceedings{kovalev2020loopless,
  author = {Kovalev, Dmitry and Horv{\'a}th, Samuel and Richt{\'a}rik, Peter},
  title = {Don't jump through hoops and remove those loops: {SVRG} and {Katyusha} are better without the outer loop},
  booktitle = {International Conference on Algorithmic Learning Theory},
  year = {2020},
}

@inproceedings{mcmahan2017communication,
  author = {McMahan, Brendan and Moore, Eider and Ramage, Daniel and Hampson, Seth and {Ag{\"u}era y Arcas}, Blaise},
  title = {Communication-efficient learning of deep networks from decentralized data},
  booktitle = {International Conference on Artificial Intelligence and Statistics},
  year = {2017},
}

@inproceedings{yurochkin2019bayesian,
  author = {Yurochkin, Mikhail and Agarwal, Mayank and Ghosh, Soumya and Greenewald, Kristjan and Hoang, Nghia and Khazaeni, Yasaman},
  title = {{Bayesian} nonparametric federated learning of neural networks},
  booktitle = {International Conference on Machine Learning},
  year = {2019},
}

@inproceedings{karimireddy2020scaffold,
  author = {Karimireddy, Sai Praneeth and Kale, Satyen and Mohri, Mehryar and Reddi, Sashank J. and Stich, Sebastian U. and Suresh, Ananda Theertha},
  title = {{SCAFFOLD}: Stochastic controlled averaging for federated learning},
  booktitle = {International Conference on Machine Learning},
  year = {2020},
}

@article{hsu2019measuring,
  author = {Hsu, Tzu-Ming Harry and Qi, Hang and Brown, Matthew},
  title = {Measuring the effects of non-identical data distribution for federated visual classification},
  journal = {arXiv preprint arXiv:1909.06335},
  year = {2019},
}

@inproceedings{li2022federated,
  author = {Li, Qinbin and Diao, Yiqun and Chen, Quan and He, Bingsheng},
  title = {Federated learning on non-{IID} data silos: An experimental study},
  booktitle = {International Conference on Data Engineering},
  year = {2022},
}

@article{gonzalez2025byzfl,
  author = {Gonz{\'a}lez, Marc and Guerraoui, Rachid and Pinot, Rafael and Rizk, Geovani and Stephan, John and Ta{\"i}ani, Fran{\c{c}}ois},
  title = {{ByzFL}: Research framework for robust federated learning},
  journal = {arXiv preprint arXiv:2505.24802},
  year = {2025},
}
"""

BIBTEX: dict[str, str] = {
    entry.partition("{")[2].partition(",")[0]: entry.strip() for entry in _ENTRIES.strip().split("\n\n")
}
"""Every source by its key."""


def citations_of(method: Any) -> list[str]:
    """Return the BibTeX entries of a method's sources: of its stages, from left to right, then of its rule.

    A method is given as a text, a table or an object; one from outside the package has the sources that it names.

    >>> [entry.partition(",")[0] for entry in citations_of("nnm+krum")]
    ['@inproceedings{allouah2023fixing', '@inproceedings{blanchard2017machine']
    >>> citations_of("sgd")
    []
    """
    keys = dict.fromkeys(key for part in _parts(method) for key in getattr(part, "cites", ()))
    return [_entry(key) for key in keys]


def _parts(given: Any) -> tuple[Any, ...]:
    name = given.partition(":")[0] if isinstance(given, str) else ""
    if name in ATTACKS.registry:
        return (ATTACKS.make(given),)
    for registry in (reduction.REGISTRY, stages.REGISTRY, PARTITIONS.registry):
        if name in registry:
            return (registry[name],)
    first, *before = method_parts(make_method(given))
    return (*before, first)


def _entry(key: str) -> str:
    """Return the entry of a key; a text that is one already stands for itself."""
    if key.lstrip().startswith("@"):
        return key.strip()
    if key not in BIBTEX:
        raise unknown("source", key, BIBTEX)
    return BIBTEX[key]
